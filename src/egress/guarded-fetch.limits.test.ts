import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { GatewayError } from "#core/error.ts";
import { openSite, openTlsSite, reply, type Answer } from "#test/egress/site.ts";
import { guardedFetch, type GuardedRequest } from "./guarded-fetch.ts";

describe("a response", () => {
  test("arrives completely, with its status and header", async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256);
    await using site = await openSite((socket) => {
      socket.write(
        "HTTP/1.1 206 Partial\r\nContent-Type: video/mp4\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n",
      );
      socket.write(`X-Name: caf\xe9\r\nContent-Length: ${bytes.length}\r\n\r\n`, "latin1");
      socket.write(bytes);
    });

    await using response = await guardedFetch(site.url, plain(site.port));

    expect(response.status).toBe(206);
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(Buffer.concat(await Array.fromAsync(response.body)).equals(bytes)).toBe(true);
    await site.allClosed();
  });

  test("the request has the method, the body, the header, and requests no encoding", async () => {
    await using site = await openSite((socket) => socket.end(reply("204 No Content")));

    await using response = await guardedFetch(`${site.url}a%20b?c=d#e`, {
      ...plain(site.port),
      method: "POST",
      body: "hello",
      headers: {
        "Content-Type": "text/plain",
        Host: "evil.example",
        "Accept-Encoding": "gzip, br",
      },
    });

    expect(response.status).toBe(204);
    const [head = "", body] = (site.requests[0] ?? "").split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe("POST /a%20b?c=d HTTP/1.1");
    expect(head.toLowerCase().split("\r\n").slice(1).toSorted()).toEqual([
      "accept-encoding: identity",
      "connection: close",
      "content-length: 5",
      "content-type: text/plain",
      `host: public.example:${site.port}`,
    ]);
    expect(body).toBe("hello");
  });

  test("a line break cannot inject a request header", async () => {
    await using site = await openSite((socket) => socket.end(reply("200 OK")));

    const error = await failure(site.url, {
      ...plain(site.port),
      headers: { "X-A": "1\r\nX-B: 2" },
    });

    expect(error.code).toBe("upstream_failed");
    expect(site.requests).toEqual([]);
  });
});

describe("a response that is too large", () => {
  test("is refused before its body if it announces its size", async () => {
    await using site = await openSite((socket) =>
      socket.write(reply("200 OK", { "Content-Length": "1001" })),
    );

    expect((await failure(site.url, { ...plain(site.port), maxBytes: 1000 })).code).toBe(
      "too_large",
    );
    await site.allClosed();
  });

  test("is cut off at the limit if it does not, and no byte above the limit is returned", async () => {
    await using site = await openSite((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write(`64\r\n${"a".repeat(100)}\r\n`), 1);
      socket.on("close", () => clearInterval(timer));
    });
    await using response = await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1000 });

    let sizeBytes = 0;
    const reading = async () => {
      for await (const chunk of response.body) sizeBytes += chunk.length;
    };

    expect(await errorOf(reading())).toMatchObject({ code: "too_large" });
    await site.allClosed();
    expect(sizeBytes).toBeLessThanOrEqual(1000);
  });

  test("may be exactly as large as the limit", async () => {
    await using site = await openSite((socket) =>
      socket.end(reply("200 OK", {}, "a".repeat(1000))),
    );

    await using response = await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1000 });

    expect(Buffer.concat(await Array.fromAsync(response.body)).length).toBe(1000);
  });

  test("may announce any length in a response to HEAD, because it has no body", async () => {
    await using site = await openSite((socket) =>
      socket.write(reply("200 OK", { "Content-Length": "999999" })),
    );

    await using response = await guardedFetch(site.url, {
      ...plain(site.port),
      method: "HEAD",
      maxBytes: 1,
    });

    expect(await Array.fromAsync(response.body)).toEqual([]);
  });
});

describe("an invalid response is refused and its connection closed", () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const text = (lines: readonly string[]) => `${lines.join("\r\n")}\r\nContent-Length: 2\r\n\r\nok`;
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `a${i}:1`);
  const answers: Record<string, string> = {
    "a compressed body": `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n${bomb.toString("latin1")}`,
    "a coding in capitals": text(["HTTP/1.1 200 OK", "Content-Encoding: GZIP"]),
    "an unknown coding": text(["HTTP/1.1 200 OK", "Content-Encoding: x"]),
    "a thousand codings in one field": text([
      "HTTP/1.1 200 OK",
      `Content-Encoding: ${"gzip,".repeat(1000)}br`,
    ]),
    "a hundred codings in a hundred fields": text([
      "HTTP/1.1 200 OK",
      ...Array.from({ length: 100 }, () => "Content-Encoding: br"),
    ]),
    "a coding behind an innocent one": text([
      "HTTP/1.1 200 OK",
      "Content-Encoding: identity",
      "Content-Encoding: gzip",
    ]),
    "a coding hidden behind more fields than the parser keeps": text([
      "HTTP/1.1 200 OK",
      ...fields(1500),
      "Content-Encoding: gzip",
    ]),
    "a coded transfer":
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "an unknown transfer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\nok",
    "a header field of 17 KiB": text(["HTTP/1.1 200 OK", `X: ${"a".repeat(17 * 1024)}`]),
    "a header of 200 KiB": text(["HTTP/1.1 200 OK", `X: ${"a".repeat(200 * 1024)}`]),
    "ten thousand fields": text(["HTTP/1.1 200 OK", ...fields(10_000)]),
    "a status line without end": `HTTP/1.1 200 ${"a".repeat(100_000)}`,
    "two lengths": text(["HTTP/1.1 200 OK", "Content-Length: 3"]),
    "a negative length": "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok",
    "a length and chunks": text(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"]),
    "a folded field": text(["HTTP/1.1 200 OK", "X: a", " b"]),
    "another protocol": "SSH-2.0-OpenSSH_9.9\r\n",
    "a hang-up before an answer": "",
    "a body shorter than its length": "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok",
    "chunks without an end": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
    "a chunk that is none": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n",
    "a chunk's extension of 100 KiB": `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;${"a".repeat(100_000)}\r\nok\r\n0\r\n\r\n`,
    "a trailer of 100 KiB": `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: ${"a".repeat(100_000)}\r\n\r\n`,
  };

  test.each(Object.keys(answers))("%s", async (name) => {
    await using site = await openSite((socket) => socket.end(answers[name] ?? "", "latin1"));

    const error = await failure(site.url, plain(site.port));

    expect([error.code, error.message]).toEqual([
      "upstream_failed",
      "The URL could not be fetched.",
    ]);
    await site.allClosed();
  });

  test("a switch to another protocol", async () => {
    await using site = await openSite((socket) =>
      socket.write("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"),
    );

    expect((await failure(site.url, plain(site.port))).code).toBe("upstream_failed");
    await site.allClosed();
  });

  test("an encoding without effect is allowed", async () => {
    await using site = await openSite((socket) =>
      socket.end(reply("200 OK", { "Content-Encoding": "Identity" }, "ok")),
    );

    await using response = await guardedFetch(site.url, plain(site.port));

    expect(Buffer.concat(await Array.fromAsync(response.body)).toString()).toBe("ok");
  });

  test("a port without a listener", async () => {
    const site = await openSite(() => {});
    await site[Symbol.asyncDispose]();

    expect((await failure(site.url, plain(site.port))).code).toBe("upstream_failed");
  });
});

describe("deadlines", () => {
  const cases: readonly [string, string, Partial<GuardedRequest>, Answer][] = [
    [
      "a host that accepts the request and does not respond",
      "first byte",
      { firstByteTimeoutMs: 60 },
      () => {},
    ],
    [
      "a header that drips",
      "first byte",
      { firstByteTimeoutMs: 60 },
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nX: ");
        drip(() => socket.write("a"), socket);
      },
    ],
    [
      "interim answers without end",
      "first byte",
      { firstByteTimeoutMs: 60 },
      (socket) => drip(() => socket.write("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), socket),
    ],
    [
      "a body that stalls",
      "idle",
      { idleTimeoutMs: 60 },
      (socket) => socket.write(reply("200 OK", { "Content-Length": "10" }, "ab")),
    ],
    [
      "a body that arrives slowly without an end",
      "total",
      { idleTimeoutMs: 1_000, totalTimeoutMs: 100 },
      (socket) => {
        socket.write(reply("200 OK", { "Content-Length": "100000" }));
        drip(() => socket.write("a"), socket);
      },
    ],
    [
      "slow redirects",
      "total",
      { totalTimeoutMs: 150, maxRedirects: 1_000 },
      (socket) => void setTimeout(() => socket.write(reply("302 Found", { Location: "/" })), 40),
    ],
  ];

  test.each(cases)(
    "%s is aborted at the %s deadline, and the connection closed",
    async (_, phase, request, answer) => {
      await using site = await openSite(answer);

      const error = await failure(site.url, { ...plain(site.port), ...request });

      expect([error.code, error.message]).toEqual([
        "upstream_timeout",
        "The URL took too long to answer.",
      ]);
      expect(error.cause).toMatchObject({ message: `past the ${phase} deadline` });
      await site.allClosed();
    },
  );

  test("a host that accepts the connection but does not speak TLS is aborted at the connect deadline", async () => {
    await using site = await openSite(() => {});

    const error = await failure(`https://public.example:${site.port}/`, {
      ...plain(site.port),
      connectTimeoutMs: 60,
    });

    expect(error.code).toBe("upstream_timeout");
    expect(error.cause).toMatchObject({ message: "past the connect deadline" });
    await site.allClosed();
  });

  test("a slow reader does not count as silence of the host", async () => {
    await using site = await openSite((socket) => {
      socket.write(reply("200 OK", { "Content-Length": "4" }, "ab"));
      setTimeout(() => socket.end("cd"), 20);
    });
    await using response = await guardedFetch(site.url, {
      ...plain(site.port),
      idleTimeoutMs: 100,
    });

    let text = "";
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString();
      await Bun.sleep(200);
    }

    expect(text).toBe("abcd");
  });
});

describe("resources are released", () => {
  test("when the reader stops before the end", async () => {
    await using site = await openSite(endless);
    await using response = await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1e9 });

    for await (const _ of response.body) break;

    await site.allClosed();
  });

  test("when the response is disposed unread, and it cannot be read afterwards", async () => {
    await using site = await openSite(endless);
    const response = await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1e9 });

    await response[Symbol.asyncDispose]();

    await site.allClosed();
    expect(await errorOf(Array.fromAsync(response.body))).toMatchObject({ code: "canceled" });
  });

  test("when the response is forgotten, at the total deadline", async () => {
    await using site = await openSite(endless);

    await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1e9, totalTimeoutMs: 1_000 });

    await site.allClosed();
  });

  test("when the host resets a connection without a reader", async () => {
    await using site = await openSite((socket) => {
      socket.write(reply("200 OK", { "Content-Length": "10" }, "ab"));
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    await using response = await guardedFetch(site.url, plain(site.port));

    await site.allClosed();

    expect(await errorOf(Array.fromAsync(response.body))).toMatchObject({
      code: "upstream_failed",
    });
  });

  test("a reader that stops reading pauses the host instead of filling memory", async () => {
    let sentBytes = 0;
    await using site = await openSite((socket) =>
      endless(socket, "", (bytes) => (sentBytes += bytes)),
    );
    await using response = await guardedFetch(site.url, { ...plain(site.port), maxBytes: 1e12 });

    for await (const _ of response.body) {
      let before = -1;
      while (before !== sentBytes) {
        before = sentBytes;
        await Bun.sleep(150);
      }
      break;
    }

    expect(sentBytes).toBeLessThan(32 * 2 ** 20);
  });
});

describe("an aborted fetch", () => {
  const answers: Record<string, Answer> = {
    "before the first byte": () => {},
    "in the middle of the body": (socket) =>
      socket.write(reply("200 OK", { "Content-Length": "10" }, "ab")),
  };

  test.each(Object.keys(answers))("%s closes the connection", async (name) => {
    const caller = new AbortController();
    await using site = await openSite((socket, request) => {
      answers[name]?.(socket, request);
      setTimeout(() => caller.abort(), 30);
    });

    const error = await failure(site.url, { ...plain(site.port), signal: caller.signal });

    expect(error.code).toBe("canceled");
    await site.allClosed();
  });

  test("during the handshake closes the connection", async () => {
    const caller = new AbortController();
    await using site = await openTlsSite(() => {});
    const resolve = async () => {
      setTimeout(() => caller.abort(), 1);
      return ["127.0.0.1"];
    };

    const error = await failure(`https://public.example:${site.port}/`, {
      ...plain(site.port),
      resolve,
      signal: caller.signal,
    });

    expect(error.code).toBe("canceled");
    await site.allClosed();
  });

  test("during the name lookup opens no connection", async () => {
    const caller = new AbortController();
    await using site = await openSite(() => {});
    const resolve = async () => {
      caller.abort();
      return ["127.0.0.1"];
    };

    const error = await failure(site.url, { ...plain(site.port), resolve, signal: caller.signal });

    expect([error.code, site.connections]).toEqual(["canceled", 0]);
  });

  test("before the start sends nothing, and its reason is passed on", async () => {
    await using site = await openSite(() => {});
    const reason = new GatewayError("unavailable", "Shutting down.");

    const error = await failure(site.url, {
      ...plain(site.port),
      signal: AbortSignal.abort(reason),
    });

    expect(error).toBe(reason);
    expect(site.connections).toBe(0);
  });
});

/** Every name is at 127.0.0.1, which the operator opened, and nothing else is. */
function plain(port: number): GuardedRequest {
  return {
    allowHttp: true,
    ports: [port],
    allow: ["127.0.0.1"],
    resolve: async () => ["127.0.0.1"],
    maxBytes: 1_000_000,
    totalTimeoutMs: 10_000,
  };
}

async function failure(url: string, request: GuardedRequest): Promise<GatewayError> {
  try {
    await using response = await guardedFetch(url, request);
    await Array.fromAsync(response.body);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error(`${url} was fetched.`);
}

/** What went wrong, or undefined when nothing did. */
function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function drip(write: () => void, socket: Parameters<Answer>[0]): void {
  const timer = setInterval(write, 5);
  socket.on("close", () => clearInterval(timer));
}

function endless(
  socket: Parameters<Answer>[0],
  _request = "",
  onSent = (_bytes: number) => {},
): void {
  socket.write("HTTP/1.1 200 OK\r\n\r\n");
  const chunk = Buffer.alloc(64 * 1024);
  const fill = () => {
    let hasRoom = true;
    while (hasRoom && !socket.destroyed) {
      hasRoom = socket.write(chunk);
      onSent(chunk.length);
    }
  };
  socket.on("drain", fill);
  fill();
}

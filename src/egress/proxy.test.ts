import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { SECRET, sized } from "#test/egress/raw-upstream.ts";
import { openTlsUpstream, probe } from "#test/egress/tls-upstream.ts";
import { openTestProxy } from "#test/test-proxy.ts";
import { proxyChooser } from "./proxy.ts";

/** What the test's certificate is for; only the proxy knows where it is. */
const NAME = "other.example";

describe("an upstream behind a proxy", () => {
  test("is reached through it, and the proxy sees neither request nor credential", async () => {
    await using upstream = await openTlsUpstream("other-name");
    await using proxy = await openProxy(tunnelTo(upstream.port));

    const { outcomes, leftDeadlines } = await probe(`https://${NAME}:${upstream.port}/`, {
      count: 3,
      proxy: { url: `http://me:p%40ss@127.0.0.1:${proxy.port}`, except: [] },
    });

    expect({ outcomes, leftDeadlines }).toEqual({ outcomes: [200, 200, 200], leftDeadlines: 0 });
    expect(upstream.seen.text).toContain(SECRET);
    expect(upstream.sessions).toEqual([{ name: NAME, protocol: "TLSv1.3", alpn: "http/1.1" }]);
    expect(proxy.heads).toEqual([
      `CONNECT ${NAME}:${upstream.port} HTTP/1.1\r\nHost: ${NAME}:${upstream.port}\r\n` +
        `Proxy-Authorization: Basic ${Buffer.from("me:p@ss").toString("base64")}\r\n\r\n`,
    ]);
    expect(proxy.seen()).not.toContain(SECRET);
  });

  test("gets a large request completely, and its large response waits for a slow consumer", async () => {
    const body = "The quick brown fox. ".repeat(300_000);
    await using upstream = await openTlsUpstream("other-name", {}, (socket) =>
      socket.write(sized(body)),
    );
    await using proxy = await openProxy(tunnelTo(upstream.port));

    const seen = await probe(`https://${NAME}:${upstream.port}/`, {
      bodyBytes: 4_000_000,
      waitMs: 300,
      proxy: { url: `http://127.0.0.1:${proxy.port}`, except: [] },
    });

    expect(seen.outcomes).toEqual([200]);
    expect(seen.sha256).toBe(createHash("sha256").update(body).digest("hex"));
    const [asked] = upstream.requests;
    expect(
      createHash("sha256")
        .update(asked?.body ?? "")
        .digest("hex"),
    ).toBe(seen.sentSha256);
  });

  test.each(["http", "socks5"])("of a channel is reached over %s with its login", async (kind) => {
    await using upstream = await openTlsUpstream("other-name");
    await using proxy = await openTestProxy("me:geheim");
    const url = `${kind}://127.0.0.1:${proxy.port}`;

    const { outcomes } = await probe(`https://${NAME}:${upstream.port}/`, {
      count: 2,
      channelProxy: { url, login: "me:geheim" },
    });
    const refused = await probe(`https://${NAME}:${upstream.port}/`, { channelProxy: { url } });

    expect([outcomes, refused.outcomes]).toEqual([[200, 200], ["upstream_unreachable"]]);
    expect(proxy.targets).toEqual([`${NAME}:${upstream.port}`]);
    expect(upstream.sessions).toMatchObject([{ name: NAME }]);
    expect(upstream.seen.text).toContain(SECRET);
  });

  test("must have a valid certificate, like any other", async () => {
    await using upstream = await openTlsUpstream("good");
    await using proxy = await openProxy(tunnelTo(upstream.port));

    const { outcomes, cause } = await probe(`https://${NAME}:${upstream.port}/`, {
      proxy: { url: `http://127.0.0.1:${proxy.port}`, except: [] },
    });

    expect(outcomes).toEqual(["upstream_unreachable"]);
    expect(cause).toMatch(/does not match/);
    expect(upstream.seen.text).toBe("");
  });

  const refusals: [string, (socket: Socket) => void, RegExp][] = [
    ["wants to be shown something else", says("HTTP/1.1 407 Who\r\n\r\n"), /status 407/],
    ["cannot reach it", says("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno"), /502/],
    ["speaks another language", says("220 mail.example ESMTP\r\n\r\n"), /is not HTTP/],
    [
      "sends more bytes than expected",
      says("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK"),
      /after its response/,
    ],
    ["never ends its answer", says(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}`), /too long/],
    ["hangs up", (socket) => socket.end(), /closed the connection/],
  ];
  test.each(refusals)("is unreachable if the proxy %s", async (_what, answer, reason) => {
    await using proxy = await openProxy(answer);

    const { outcomes, cause, leftDeadlines } = await probe(`https://${NAME}/`, {
      proxy: { url: `http://127.0.0.1:${proxy.port}`, except: [] },
    });

    expect({ outcomes, leftDeadlines }).toEqual({
      outcomes: ["upstream_unreachable"],
      leftDeadlines: 0,
    });
    expect(cause).toMatch(reason);
  });

  test("has the usual time limits, and its proxy connection is released", async () => {
    await using proxy = await openProxy(() => {});

    const { outcomes, leftDeadlines } = await probe(`https://${NAME}/`, {
      connectMs: 300,
      proxy: { url: `http://127.0.0.1:${proxy.port}`, except: [] },
    });

    expect({ outcomes, leftDeadlines }).toEqual({
      outcomes: ["upstream_unreachable"],
      leftDeadlines: 0,
    });
    expect(proxy.heads).toHaveLength(1);
    await proxy.left;
  });

  test("is unreachable without the proxy", async () => {
    const gone = await openProxy(() => {});
    const { port } = gone;
    await gone[Symbol.asyncDispose]();

    const { outcomes } = await probe(`https://${NAME}/`, {
      proxy: { url: `http://127.0.0.1:${port}`, except: [] },
    });

    expect(outcomes).toEqual(["upstream_unreachable"]);
  });
});

describe("a proxy", () => {
  const choose = proxyChooser({
    url: "http://proxy.example:3128",
    except: [
      "direct.example",
      ".dotted.example",
      "*.starred.example",
      "ported.example:8443",
      "9.9.9.0/24",
    ],
  });

  test.each([
    ["a vendor", "api.vendor.example", 443],
    ["a public address", "8.8.8.8", 443],
    ["a name that only ends like an exception", "indirect.example", 443],
    ["an exception's name at another port", "ported.example", 443],
  ])("is used for %s", (_what, host, port) => {
    expect(choose(host, port, true)).toEqual({
      kind: "http",
      host: "proxy.example",
      port: 3128,
      authorization: undefined,
    });
  });

  test.each([
    ["this machine", "localhost", 443],
    ["this machine's address", "127.0.0.1", 443],
    ["a private network", "10.1.2.3", 443],
    ["a name of a private network", "models.internal", 443],
    ["a name without a domain", "ollama", 443],
    ["an exception", "direct.example", 443],
    ["a subdomain of an exception", "a.b.direct.example", 443],
    ["a subdomain of an exception with a dot", "a.dotted.example", 443],
    ["a subdomain of an exception with a star", "a.starred.example", 443],
    ["an exception's port", "ported.example", 8443],
    ["an exception's network", "9.9.9.9", 443],
    ["an exception, in any notation", "DIRECT.example.", 443],
  ])("is not used for %s", (_what, host, port) => {
    expect(choose(host, port, true)).toBeUndefined();
  });

  test("is not used without TLS, because it would see the credential", () => {
    expect(choose("api.vendor.example", 80, false)).toBeUndefined();
  });

  test("is not used if every upstream is an exception, or if none is configured", () => {
    const never = proxyChooser({ url: "http://proxy.example", except: ["*"] });
    expect(never("api.vendor.example", 443, true)).toBeUndefined();
    expect(proxyChooser(undefined)("api.vendor.example", 443, true)).toBeUndefined();
  });
});

interface TestProxy extends AsyncDisposable {
  readonly port: number;
  readonly heads: readonly string[];
  /** All that came from those who use it. */
  seen(): string;
  /** Kept once the first of them has left. */
  readonly left: Promise<void>;
}

/** `answer`: what it does with whoever has asked for a way. */
async function openProxy(answer: (socket: Socket) => void): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  const left = Promise.withResolvers<void>();
  let seen = "";
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = "";
    const read = (bytes: Buffer): void => {
      head += bytes.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return;
      socket.off("data", read);
      heads.push(head);
      socket.on("data", (more: Buffer) => void (seen += more.toString("latin1")));
      answer(socket);
    };
    socket.on("data", read);
    socket.on("error", () => {});
    socket.on("close", () => left.resolve());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heads,
    seen: () => heads.join("") + seen,
    left: left.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Wherever a name leads in the world, here it leads to this machine. */
function tunnelTo(port: number): (socket: Socket) => void {
  return (socket) => {
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  };
}

function says(text: string): (socket: Socket) => void {
  return (socket) => void socket.write(text);
}

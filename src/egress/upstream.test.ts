import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { credential } from "#core/channel.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { UpstreamLimits, UpstreamReply, UpstreamRequest } from "./egress.ts";
import { openEgress } from "./upstream.ts";

const LIMITS: UpstreamLimits = {
  connectMs: 300,
  firstByteMs: 400,
  unaryMs: 400,
  idleMs: 400,
  totalMs: 5_000,
  answerBytes: 10_000,
};
const SECRET = "sk-the-operators-secret";

/** What the server writes once a request's head is in; the request is kept for the test. */
type Script = (socket: Socket) => void;
let script: Script = () => {};
let seen = "";
let server: Server;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      seen += data.toString("latin1");
      if (seen.includes("\r\n\r\n")) script(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void server.close());

const url = (port = (server.address() as AddressInfo).port): URL =>
  new URL(`http://127.0.0.1:${port}/v1/x`);

function request(more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    url: url(),
    method: "POST",
    body: "{}",
    credential: credential(SECRET),
    authorize: (secret) => ({ authorization: `Bearer ${secret}` }),
    pool: "channel",
    isStream: true,
    ...more,
  };
}

async function faultOf(promise: Promise<unknown>): Promise<FaultCode> {
  try {
    await promise;
  } catch (cause) {
    expect(cause).toBeInstanceOf(GatewayError);
    expect(String(cause)).not.toContain("127.0.0.1");
    expect(String(cause)).not.toContain(SECRET);
    return GatewayError.from(cause).code;
  }
  throw new Error("It did not fail.");
}

async function readAll(more: Partial<UpstreamRequest> = {}, limits = LIMITS): Promise<string> {
  seen = "";
  const reply = await openEgress(limits).send(request(more));
  try {
    return new TextDecoder().decode(await reply.readAll());
  } finally {
    reply.close();
  }
}

/** Reads until something has come, and goes on reading. */
async function readSome(reply: UpstreamReply): Promise<{ reading: Promise<void> }> {
  const came = Promise.withResolvers<void>();
  const reading = reply.pump(() => came.resolve());
  await came.promise;
  return { reading };
}

const OK = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

describe("an upstream that answers", () => {
  test("gets the credential, the body, and no request for compression", async () => {
    script = (socket) => socket.end(`${OK}content-length: 2\r\n\r\nhi`);

    expect(await readAll()).toBe("hi");
    expect(seen).toContain(`Bearer ${SECRET}`);
    expect(seen.toLowerCase()).toContain("accept-encoding: identity");
    expect(seen).toEndWith("{}");
  });

  test("[A55] gets every field once", async () => {
    script = (socket) => socket.end(`${OK}content-length: 2\r\n\r\nhi`);
    await readAll();

    const names = seen
      .slice(0, seen.indexOf("\r\n\r\n"))
      .split("\r\n")
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
    expect(names).toContain("content-length");
    expect(names).toEqual([...new Set(names)]);
  });

  test("may state that it did not compress", async () => {
    script = (socket) =>
      socket.end(`${OK}content-encoding: Identity\r\ncontent-length: 2\r\n\r\nhi`);

    expect(await readAll()).toBe("hi");
  });

  test("is read completely without a length, until it closes", async () => {
    script = (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`);

    expect(await readAll()).toBe("hi");
  });
});

describe("an upstream that fails", () => {
  const refusals: [string, Script, FaultCode][] = [
    ["hangs before its answer", () => {}, "upstream_timeout"],
    [
      "falls silent in the middle",
      (socket) => socket.write(`${OK}content-length: 9\r\n\r\nhi`),
      "upstream_timeout",
    ],
    ["resets before its answer", (socket) => socket.resetAndDestroy(), "upstream_failed"],
    [
      "resets in the middle",
      (socket) => socket.write(`${OK}content-length: 9\r\n\r\nhi`, () => socket.resetAndDestroy()),
      "upstream_failed",
    ],
    [
      "ends before its announced length",
      (socket) => socket.end(`${OK}content-length: 9\r\n\r\nhi`),
      "upstream_failed",
    ],
    [
      "ends a chunked body without its last chunk",
      (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n`),
      "upstream_failed",
    ],
    [
      "redirects",
      (socket) =>
        socket.end(
          `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.2/\r\ncontent-length: 0\r\n\r\n`,
        ),
      "upstream_failed",
    ],
    [
      "compresses unasked",
      (socket) => socket.end(`${OK}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nhi`),
      "upstream_failed",
    ],
    [
      "answers more than it may",
      (socket) => socket.end(`${OK}\r\n${"x".repeat(20_000)}`),
      "upstream_failed",
    ],
    [
      "sends a response that is not HTTP",
      (socket) => socket.end("nonsense\r\n\r\n"),
      "upstream_failed",
    ],
    [
      "[A54] [C15] names a thousand codings",
      (socket) =>
        socket.end(
          `${OK}content-encoding: ${"gzip, ".repeat(1_000)}br\r\ncontent-length: 2\r\n\r\nhi`,
        ),
      "upstream_failed",
    ],
    [
      "[C15] sends 200 KB of fields",
      (socket) => socket.end(`${OK}x: ${"x".repeat(200_000)}\r\ncontent-length: 2\r\n\r\nhi`),
      "upstream_failed",
    ],
    [
      "[C15] sends ten thousand fields",
      (socket) => socket.end(`${OK}${"x: y\r\n".repeat(10_000)}content-length: 2\r\n\r\nhi`),
      "upstream_failed",
    ],
    [
      "[C16] states two lengths",
      (socket) => socket.write(`${OK}content-length: 2\r\nContent-Length: 3\r\n\r\nhi`),
      "upstream_failed",
    ],
    [
      "[C16] states a length and a coding",
      (socket) =>
        socket.write(`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
      "upstream_failed",
    ],
    [
      "[C16] answers more than it stated",
      (socket) => socket.write(`${OK}content-length: 2\r\n\r\nhi!`),
      "upstream_failed",
    ],
  ];
  test.each(refusals)(
    "%s: the error is reported without the upstream's address",
    async (_what, behaviour, code) => {
      script = behaviour;

      expect(await faultOf(readAll())).toBe(code);
    },
  );

  test("a port without a listener is unreachable", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise<void>((resolve) => closed.close(() => resolve()));

    expect(await faultOf(readAll({ url: url(port) }))).toBe("upstream_unreachable");
  });

  test("a host that drops connection attempts times out long before a response is due", async () => {
    await using hole = await openBlackHole();

    expect(
      await faultOf(readAll({ url: url(hole.port) }, { ...LIMITS, firstByteMs: 60_000 })),
    ).toBe("upstream_unreachable");
  });

  test("an endless response ends at the total deadline", async () => {
    script = (socket) => {
      socket.write(`${OK}\r\n`);
      const timer = setInterval(() => socket.write("x"), 50);
      socket.on("close", () => clearInterval(timer));
    };

    expect(await faultOf(readAll({}, { ...LIMITS, totalMs: 700 }))).toBe("upstream_timeout");
  });
});

test("a client that disconnects closes the upstream's connection at once", async () => {
  const caller = new AbortController();
  const closed = Promise.withResolvers<number>();
  script = (socket) => {
    socket.write(`${OK}\r\nhi`);
    socket.on("close", () => closed.resolve(performance.now()));
  };
  seen = "";
  const reply = await openEgress(LIMITS).send(request({ signal: caller.signal }));
  const { reading } = await readSome(reply);

  const hungUpAt = performance.now();
  caller.abort();

  expect(await faultOf(reading)).toBe("canceled");
  expect((await closed.promise) - hungUpAt).toBeLessThan(250);
  reply.close();
});

test("shutting down ends every exchange with the reason given", async () => {
  script = (socket) => socket.write(`${OK}\r\nhi`);
  seen = "";
  const egress = openEgress(LIMITS);
  const reply = await egress.send(request());
  const { reading } = await readSome(reply);

  egress.abortAll(new GatewayError("unavailable", "Going."));

  expect(await faultOf(reading)).toBe("unavailable");
  reply.close();
});

test("unexpected bytes on an idle connection close it and reach no call", async () => {
  const answer = (text: string): string => `${OK}content-length: ${text.length}\r\n\r\n${text}`;
  let calls = 0;
  let closed: Promise<unknown> = Promise.resolve();
  script = (socket) => {
    calls++;
    // Not once(): a connection that is reset is closed, too.
    closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(answer(`call ${calls}`));
    // Staged as the answer to a request that was never sent.
    setTimeout(() => socket.write(answer("stolen")), 20);
    seen = "";
  };
  const egress = openEgress(LIMITS);
  const texts: string[] = [];
  for (let i = 0; i < 10; i++) {
    seen = "";
    const reply = await egress.send(request());
    texts.push(new TextDecoder().decode(await reply.readAll()));
    reply.close();
    await closed;
  }

  expect(texts).toEqual(Array.from({ length: 10 }, (_, i) => `call ${i + 1}`));
});

/**
 * A port that lets connections come and never takes them: its process is
 * stopped and its backlog full, so the system leaves further ones hanging.
 */
async function openBlackHole(): Promise<{ port: number } & AsyncDisposable> {
  const program = `
    const server = require("node:net").createServer(() => {});
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  child.kill("SIGSTOP");

  // More than any backlog that the runtime would ask for.
  const fillers = Array.from({ length: 1_200 }, () =>
    connect(port, "127.0.0.1").on("error", () => {}),
  );
  await Bun.sleep(500);
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const each of fillers) each.destroy();
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

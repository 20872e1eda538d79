import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { UpstreamLimits, UpstreamReply } from "./egress.ts";
import { FetchSession, PLACEHOLDER, type FetchTerms } from "./fetch.ts";
import { openRawUpstream, sized } from "#test/egress/raw-upstream.ts";
import { openEgress } from "./upstream.ts";

const LIMITS: UpstreamLimits = {
  connectMs: 1_000,
  firstByteMs: 2_000,
  unaryMs: 2_000,
  idleMs: 2_000,
  totalMs: 20_000,
  answerBytes: 10_000,
};
const KIB = 1024;
const SECRET = "the operator's & secret";
const STREAM = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

let server: Bun.Server<undefined>;
let seen: { url: string; headers: Record<string, string>; body: string }[] = [];
let answer: () => Response;
beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const headers = Object.fromEntries(request.headers);
      seen.push({ url: request.url, headers, body: await request.text() });
      return answer();
    },
  });
});
afterAll(async () => server.stop(true));

function open(more: Partial<FetchTerms> = {}): FetchSession {
  seen = [];
  answer = () => new Response("hi", { headers: { "x-told": "yes" } });
  return new FetchSession(openEgress(LIMITS), {
    pool: "channel",
    credential: credential(SECRET),
    authorize: () => ({}),
    isStream: false,
    onReply: async () => {},
    maxEventBytes: 64 * KIB,
    ...more,
  });
}

const at = (path: string): string => new URL(path, server.url).href;

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (cause) {
    return cause instanceof GatewayError ? cause.code : String(cause);
  }
  throw new Error("It did not fail.");
}

describe("a library's request", () => {
  test("is sent with the secret in place of the placeholder: in headers and in the query only", async () => {
    const session = open();
    const reply = await session.fetch(at(`/v1/x?key=${PLACEHOLDER}&b=1`), {
      method: "POST",
      headers: { Authorization: `Bearer ${PLACEHOLDER}`, "X-Other": "kept" },
      body: `{"text":"${PLACEHOLDER}"}`,
    });

    expect([reply.status, reply.headers.get("x-told"), await reply.text()]).toEqual([
      200,
      "yes",
      "hi",
    ]);
    expect(seen).toMatchObject([
      {
        url: at(`/v1/x?key=${encodeURIComponent(SECRET)}&b=1`).replaceAll("'", "%27"),
        headers: { authorization: `Bearer ${SECRET}`, "x-other": "kept" },
        body: `{"text":"${PLACEHOLDER}"}`,
      },
    ]);
  });

  test("does not reveal the library, and leaves connection headers to the gateway", async () => {
    await open().fetch(at("/x"), {
      method: "POST",
      headers: { "user-agent": "a-library/1", "accept-encoding": "gzip, br", connection: "close" },
      body: "{}",
    });

    expect(seen[0]?.headers).toMatchObject({
      "user-agent": "sluice",
      "accept-encoding": "identity",
    });
  });

  test("may be one object or two", async () => {
    const body = new URLSearchParams({ a: "狐" });
    await open().fetch(new Request(at("/x"), { method: "POST", body }));

    expect(seen).toMatchObject([
      { headers: { "content-type": expect.stringContaining("urlencoded") }, body: body.toString() },
    ]);
  });

  test("has no secret if the channel has none", async () => {
    await open({ credential: undefined }).fetch(new URL(at("/x")), {
      headers: { authorization: `Bearer ${PLACEHOLDER}` },
    });

    expect(seen[0]?.headers["authorization"]).not.toContain("sluice-");
  });

  test("that would inject a header line is not sent", async () => {
    const session = open({ credential: credential("a\r\nx-evil: 1") });
    const sent = session.fetch(at("/x"), { headers: { authorization: PLACEHOLDER } });

    expect(await codeOf(sent)).toBe("upstream_auth");
    expect(seen).toEqual([]);
  });

  test("is a GET or a POST", async () => {
    expect(await codeOf(open().fetch(at("/x"), { method: "DELETE" }))).toBe("internal");
    expect(seen).toEqual([]);
  });
});

describe("a response", () => {
  test("is checked before the library sees it", async () => {
    const session = open({
      onReply: async ({ status }: UpstreamReply) => {
        throw new GatewayError("upstream_auth", `It was a ${status}.`);
      },
    });

    expect(await codeOf(session.fetch(at("/x")))).toBe("upstream_auth");
  });

  test("without a stream is limited in size", async () => {
    const session = open();
    answer = () => new Response("x".repeat(20_000));

    expect(await codeOf(session.fetch(at("/x")))).toBe("upstream_failed");
  });

  test("streams only as fast as the library reads", async () => {
    let sent = 0;
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${STREAM}\r\n`);
      const piece = Buffer.alloc(64 * KIB);
      const send = (): void => {
        while (sent < 64 * KIB * KIB && socket.write(piece)) sent += piece.length;
        if (sent < 64 * KIB * KIB) socket.once("drain", send);
      };
      send();
    });
    const session = open({ isStream: true, maxEventBytes: Infinity });
    const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });
    const reader = reply.body?.getReader();
    await reader?.read();
    await Bun.sleep(300);
    const held = sent;
    await Bun.sleep(200);

    expect(sent).toBe(held);
    expect(held).toBeLessThan(20 * KIB * KIB);
    await reader?.cancel();
    await upstream.reaches(0);
  });

  test("that breaks off fails for its reader", async () => {
    await using upstream = await openRawUpstream((socket) =>
      socket.write(`${STREAM}content-length: 9\r\n\r\nhi`, () => socket.resetAndDestroy()),
    );
    const session = open({ isStream: true });
    const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });

    expect(await codeOf(reply.text())).toBe("upstream_failed");
  });

  test("is aborted if its bytes never form an event", async () => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${STREAM}\r\n${"x".repeat(3_000 * KIB)}`);
    });
    const session = open({ isStream: true });
    const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });

    expect(await codeOf(reply.text())).toBe("upstream_failed");
  });

  test("with many events is never aborted, at any length", async () => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(sized("x".repeat(8_000 * KIB)));
    });
    const session = open({ isStream: true, maxEventBytes: 64 * KIB });
    const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });
    let length = 0;
    for await (const piece of reply.body ?? []) {
      length += piece.length;
      session.heard();
    }

    expect(length).toBe(8_000 * KIB);
  });

  test("is aborted when the session is closed", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(`${STREAM}\r\nhi`));
    const session = open({ isStream: true });
    const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });
    const reading = codeOf(reply.text());
    session.close();

    expect(await reading).toBe("canceled");
    await upstream.reaches(0);
  });

  test("returns its connection at its end", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const session = open({ isStream: true });
    for (let i = 0; i < 3; i++) {
      const reply = await session.fetch(upstream.url, { method: "POST", body: "{}" });
      expect(await reply.text()).toBe("hi");
    }

    expect(upstream.connections).toBe(1);
  });
});

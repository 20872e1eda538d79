import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { SECRET, sized } from "#test/egress/raw-upstream.ts";
import { openTlsUpstream, pem, probe } from "#test/egress/tls-upstream.ts";

describe("an upstream over TLS", () => {
  test("with a certificate from an authority that the operator trusts is used and reused", async () => {
    await using upstream = await openTlsUpstream("good");

    const { outcomes, leftDeadlines } = await probe(`https://localhost:${upstream.port}/`, {
      count: 5,
    });

    expect({ outcomes, leftDeadlines }).toEqual({
      outcomes: [200, 200, 200, 200, 200],
      leftDeadlines: 0,
    });
    expect(upstream.requests).toHaveLength(5);
    expect(upstream.seen.text).toContain(SECRET);
    // One connection, which asked for its host by name and for no other protocol than we speak.
    expect(upstream.sessions).toEqual([
      { name: "localhost", protocol: "TLSv1.3", alpn: "http/1.1" },
    ]);
  });

  test("may be configured by its address, without SNI", async () => {
    await using upstream = await openTlsUpstream("good");

    const { outcomes } = await probe(`https://127.0.0.1:${upstream.port}/`);

    expect(outcomes).toEqual([200]);
    expect(upstream.sessions).toHaveLength(1);
    expect(upstream.sessions[0]?.name).not.toBe("127.0.0.1");
  });

  test("may use TLS 1.2", async () => {
    await using upstream = await openTlsUpstream("good", { maxVersion: "TLSv1.2" });

    const { outcomes } = await probe(`https://localhost:${upstream.port}/`, { count: 2 });

    expect(outcomes).toEqual([200, 200]);
    expect(upstream.sessions.map(({ protocol }) => protocol)).toEqual(["TLSv1.2"]);
  });

  test("gets a large request completely, and its large response waits for a slow consumer", async () => {
    const answer = Buffer.from("The quick brown fox. ".repeat(1_000_000));
    const hash = createHash("sha256");
    let bodyBytes = 0;
    let isBody = false;
    const server = createTlsServer({ key: pem("key"), cert: pem("good") }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", (data: Buffer) => {
        const start = isBody ? 0 : data.indexOf("\r\n\r\n") + 4;
        isBody = true;
        hash.update(data.subarray(start));
        bodyBytes += data.length - start;
        if (bodyBytes < 16_000_000) return;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n`);
        socket.write(answer);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;

    const seen = await probe(`https://localhost:${port}/`, { bodyBytes: 16_000_000, waitMs: 300 });

    expect(seen.outcomes).toEqual([200]);
    expect(seen.sha256).toBe(createHash("sha256").update(answer).digest("hex"));
    expect(hash.digest("hex")).toBe(seen.sentSha256);
    server.close();
  });
});

describe("[C25] never receives a byte of a request or a credential", () => {
  const untrusted = { NODE_EXTRA_CA_CERTS: "" };
  const refusals: [string, string, string, RegExp, Record<string, string>][] = [
    ["that vouches for itself", "self-signed", "localhost", /self.signed/, {}],
    ["that is over", "expired", "localhost", /expired/, {}],
    ["that is not valid yet", "not-yet-valid", "localhost", /not yet valid/, {}],
    ["for another name", "other-name", "localhost", /does not match/, {}],
    ["for another address", "other-name", "127.0.0.1", /does not match/, {}],
    ["with the name in another field", "only-a-common-name", "localhost", /not match/, {}],
    ["of an unknown authority", "good", "localhost", /verify|issuer/, untrusted],
  ];
  describe.each([
    ["told to be careful", {}],
    ["told to accept anything", { NODE_TLS_REJECT_UNAUTHORIZED: "0" }],
  ])("when %s:", (_how, mood) => {
    describe.each(["TLSv1.2", "TLSv1.3"] as const)("by %s,", (maxVersion) => {
      test.each(refusals)(
        "a server with a certificate %s",
        async (_what, name, host, reason, trust) => {
          await using upstream = await openTlsUpstream(name, { maxVersion });

          const { outcomes, cause, leftDeadlines } = await probe(
            `https://${host}:${upstream.port}/`,
            { env: { ...mood, ...trust } },
          );

          expect({ outcomes, leftDeadlines }).toEqual({
            outcomes: ["upstream_unreachable"],
            leftDeadlines: 0,
          });
          expect(cause).toMatch(reason);
          expect({ seen: upstream.seen.text, requests: upstream.requests }).toEqual({
            seen: "",
            requests: [],
          });
        },
      );
    });
  });

  const others: [string, (socket: Socket, hello: Buffer) => void][] = [
    ["speaks no TLS", (socket) => socket.write(sized("hi"))],
    ["hangs up", (socket) => socket.end()],
    ["resets the connection", (socket) => socket.resetAndDestroy()],
    ["alerts", (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]))],
  ];
  test.each(others)("a server that %s instead of a handshake", async (_what, answer) => {
    await using server = await openHandshake(answer);

    const { outcomes, leftDeadlines } = await probe(`https://localhost:${server.port}/`);

    expect({ outcomes, leftDeadlines }).toEqual({
      outcomes: ["upstream_unreachable"],
      leftDeadlines: 0,
    });
    expect(server.heard()).not.toContain(SECRET);
  });

  test.each([
    ["1.0", 1],
    ["1.1", 2],
  ])("a server that supports only TLS %s", async (_version, minor) => {
    await using server = await openHandshake((socket) => {
      // A ServerHello: its version, 32 random bytes, no session, a cipher of those days, no compression.
      const hello = [3, minor, ...Array<number>(32).fill(7), 0, 0xc0, 0x13, 0];
      const message = [2, 0, 0, hello.length, ...hello];
      socket.write(Buffer.from([22, 3, minor, 0, message.length, ...message]));
    });

    const { outcomes, leftDeadlines } = await probe(`https://localhost:${server.port}/`);

    expect({ outcomes, leftDeadlines }).toEqual({
      outcomes: ["upstream_unreachable"],
      leftDeadlines: 0,
    });
    // After the hello nothing but a fatal alert: protocol_version.
    expect([...server.afterHello()]).toEqual([21, 3, expect.any(Number), 0, 2, 2, 70]);
  });
});

/** Answers a ClientHello with whatever a test wants. */
async function openHandshake(
  answer: (socket: Socket, hello: Buffer) => void,
): Promise<{ port: number; heard: () => string; afterHello: () => Buffer } & AsyncDisposable> {
  const pieces: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      pieces.push(data);
      if (pieces.length === 1) answer(socket, data);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => Buffer.concat(pieces).toString("latin1"),
    afterHello: () => Buffer.concat(pieces.slice(1)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

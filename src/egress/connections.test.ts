import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Deadlines } from "#lib/deadlines.ts";
import { PIECE_BYTES, Pieces } from "#lib/pieces.ts";
import { CAN_LIMIT_READS } from "#test/egress/can-limit-reads.ts";
import { times } from "#test/seed.ts";
import {
  askFor,
  faultOf,
  LIMITS,
  OK,
  openClock,
  openRawUpstream,
  requestTo,
  sized,
} from "#test/egress/raw-upstream.ts";
import type { Egress, UpstreamRequest } from "./egress.ts";
import { openEgress } from "./upstream.ts";

const TICKS_MS = 250;
const KIB = 1_024;

describe("a connection is reused", () => {
  test("after a complete response", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const egress = openEgress(LIMITS);

    for (let i = 0; i < 5; i++) expect(await askFor(egress, requestTo(upstream))).toBe("hi");

    expect({ requests: upstream.requests.length, connections: upstream.connections }).toEqual({
      requests: 5,
      connections: 1,
    });
    egress.close();
    await upstream.reaches(0);
  });

  const lasts: [string, string][] = [
    [
      "announces that the connection closes",
      `${OK}Connection: close\r\nContent-Length: 2\r\n\r\nhi`,
    ],
    ["is in HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"],
    ["is followed by unexpected bytes", `${sized("hi")}HTTP/1.1 200 OK`],
  ];
  test.each(lasts)("but not after a response that %s", async (_what, answer) => {
    await using upstream = await openRawUpstream((socket) => socket.write(answer));
    const egress = openEgress(LIMITS);

    for (let i = 0; i < 3; i++) await askFor(egress, requestTo(upstream)).catch(() => {});

    expect(upstream.connections).toBe(3);
    await upstream.reaches(0);
  });

  test("but not after a response that was discarded before its end", async () => {
    await using upstream = await openRawUpstream((socket, { nth }) =>
      socket.write(nth === 1 ? `${OK}Content-Length: 5\r\n\r\nhel` : sized("hi")),
    );
    const egress = openEgress(LIMITS);

    (await egress.send(requestTo(upstream))).close();

    expect(await askFor(egress, requestTo(upstream))).toBe("hi");
    expect(upstream.connections).toBe(2);
    egress.close();
  });

  test("but not after its server closed it while it was idle", async () => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(sized("hi"));
      setTimeout(() => socket.end(), 5);
    });
    const deadlines = new Deadlines();
    const egress = openEgress(LIMITS, deadlines);

    for (let i = 1; i <= 3; i++) {
      expect(await askFor(egress, requestTo(upstream))).toBe("hi");
      while (deadlines.size > 0) await Bun.sleep(1);
    }

    // No request was lost on a closed connection, so none was sent twice.
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  });

  test("but never for another destination, even after the channel's URL changed", async () => {
    await using first = await openRawUpstream((socket) => socket.write(sized("first")));
    await using second = await openRawUpstream((socket) => socket.write(sized("second")));
    const egress = openEgress(LIMITS);

    expect(await askFor(egress, requestTo(first))).toBe("first");
    expect(await askFor(egress, requestTo(second))).toBe("second");

    // The credential of the second never reached the first, whose connection is of no more use.
    expect(first.requests).toHaveLength(1);
    await first.reaches(0);
    egress.close();
  });
});

describe("a server that closes an idle connection just as it is reused", () => {
  const closes: [string, (socket: Socket) => void][] = [
    ["ends it", (socket) => socket.end()],
    ["drops it", (socket) => socket.destroy()],
    ["resets it", (socket) => socket.resetAndDestroy()],
  ];
  test.each(closes)("%s: the request is sent again on a new connection", async (_how, close) => {
    await using upstream = await openRawUpstream((socket, { nth, connection }) => {
      if (nth > 1 && connection === 1) close(socket);
      else socket.write(sized(`${nth}`));
    });
    const egress = openEgress(LIMITS);
    await askFor(egress, requestTo(upstream));

    expect(await askFor(egress, requestTo(upstream))).toBe("3");

    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    egress.close();
  });

  test("and the new one too: the request fails without a third attempt", async () => {
    await using upstream = await openRawUpstream((socket, { nth }) => {
      if (nth > 1) socket.destroy();
      else socket.write(sized("hi"));
    });
    const egress = openEgress(LIMITS);
    await askFor(egress, requestTo(upstream));

    expect(await faultOf(egress.send(requestTo(upstream)))).toBe("upstream_failed");

    expect(upstream.requests).toHaveLength(3);
  });

  const begins: [string, string][] = [
    ["a byte", "H"],
    ["half a head", "HTTP/1.1 200 OK\r\nCont"],
    ["an interim answer", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a head", `${OK}Content-Length: 5\r\n\r\n`],
  ];
  test.each(begins)(
    "after %s of its response: the request is not sent again",
    async (_what, bytes) => {
      await using upstream = await openRawUpstream((socket, { nth }) => {
        if (nth === 1) socket.write(sized("hi"));
        else socket.end(bytes);
      });
      const egress = openEgress(LIMITS);
      await askFor(egress, requestTo(upstream));

      expect(await faultOf(askFor(egress, requestTo(upstream)))).toBe("upstream_failed");

      expect(upstream.requests).toHaveLength(2);
    },
  );

  test("long after it accepted the request: it is not sent again, since it was read", async () => {
    const clock = openClock();
    await using upstream = await openRawUpstream((socket, { nth }) => {
      if (nth === 1) {
        socket.write(sized("hi"));
      } else {
        clock.pass(3_000);
        socket.destroy();
      }
    });
    const egress = openEgress(LIMITS, new Deadlines(clock));
    await askFor(egress, requestTo(upstream));

    expect(await faultOf(egress.send(requestTo(upstream)))).toBe("upstream_failed");

    expect(upstream.requests).toHaveLength(2);
  });

  test("does not affect a request that must not be repeated: it never uses an idle connection", async () => {
    await using upstream = await openRawUpstream((socket, { nth, connection }) => {
      if (nth > 1 && connection === 1) socket.destroy();
      else socket.write(sized(`${nth}`));
    });
    const egress = openEgress(LIMITS);
    await askFor(egress, requestTo(upstream));

    expect(await askFor(egress, requestTo(upstream, { isOnce: true }))).toBe("2");

    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    egress.close();
  });

  test("on a new connection: the request is not sent again", async () => {
    await using upstream = await openRawUpstream((socket) => socket.destroy());

    expect(await faultOf(openEgress(LIMITS).send(requestTo(upstream)))).toBe("upstream_failed");

    expect(upstream.requests).toHaveLength(1);
  });
});

test("[A70] [C17] bytes that one channel's upstream plants on an idle connection never reach another channel's calls", async () => {
  let staging: Socket | undefined;
  await using upstream = await openRawUpstream((socket, { head, nth }) => {
    const [, path = ""] = /^POST (\S+)/.exec(head) ?? [];
    // An answer to a request that was never sent, on the idle connection of the other channel.
    if (path === "/staging") staging = socket;
    else staging?.write(sized("stolen"));
    socket.write(sized(`${path} ${nth}`));
  });
  const egress = openEgress(LIMITS);
  const call = (path: string): Promise<string> =>
    askFor(egress, requestTo({ url: new URL(path, upstream.url) }, { pool: path }));

  const rounds = times(1_000, 10_000);
  for (let i = 1; i <= rounds; i++) {
    expect(await call("/staging")).toBe(`/staging ${2 * i - 1}`);
    expect(await call("/other")).toBe(`/other ${2 * i}`);
    // What is staged is on its way: nobody can tell what comes after the next request from an answer to it.
    await Bun.sleep(0);
  }

  const pathsOf = Map.groupBy(upstream.requests, ({ connection }) => connection);
  for (const all of pathsOf.values()) {
    expect(new Set(all.map(({ head }) => /^POST (\S+)/.exec(head)?.[1])).size).toBe(1);
  }
  // The one that brings unasked bytes is dropped each time; the other serves all the while.
  expect(upstream.connections).toBe(rounds + 1);
  egress.close();
  await upstream.reaches(0);
}, 120_000);

describe("idle connections", () => {
  test("are kept up to a limit; the others are closed", async () => {
    const waiting: Socket[] = [];
    await using upstream = await openRawUpstream((socket) => void waiting.push(socket));
    const deadlines = new Deadlines();
    const egress = openEgress(LIMITS, deadlines);

    const calls = Array.from({ length: 300 }, () => askFor(egress, requestTo(upstream)));
    while (waiting.length < 300) await Bun.sleep(1);
    for (const socket of waiting) socket.write(sized("hi"));
    await Promise.all(calls);

    await upstream.reaches(256);
    expect(deadlines.size).toBe(256);
    egress.close();
    await upstream.reaches(0);
    expect(deadlines.size).toBe(0);
  });

  test("are closed after their idle time", async () => {
    const clock = openClock();
    const deadlines = new Deadlines(clock);
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const egress = openEgress(LIMITS, deadlines);
    await askFor(egress, requestTo(upstream));

    clock.pass(29_999);
    await Bun.sleep(TICKS_MS);
    expect(upstream.openConnections).toBe(1);

    clock.pass(1);
    await upstream.reaches(0);
    expect(deadlines.size).toBe(0);
  });

  test("are not used after their idle time, even before they are closed", async () => {
    const clock = openClock();
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const egress = openEgress(LIMITS, new Deadlines(clock));
    await askFor(egress, requestTo(upstream));

    clock.pass(30_000);
    await askFor(egress, requestTo(upstream));

    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    egress.close();
  });
});

/** Reads a request as slowly as it is told to, and says what it was. */
async function openSlowUpstream(
  onData: (socket: Socket, readBytes: number) => void,
): Promise<{ url: URL; digest(): string } & AsyncDisposable> {
  const hash = createHash("sha256");
  const sockets = new Set<Socket>();
  let readBytes = 0;
  let isBody = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      const start = isBody ? 0 : data.indexOf("\r\n\r\n") + 4;
      isBody = true;
      hash.update(data.subarray(start));
      readBytes += data.length - start;
      onData(socket, readBytes);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    digest: () => hash.digest("hex"),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe.if(CAN_LIMIT_READS)("chunks", () => {
  const large = sized("x".repeat(24 * KIB * KIB));
  const smallBytes = 192 * KIB;

  /** The largest chunk that a slow consumer gets. */
  async function largestChunk(egress: Egress, request: UpstreamRequest): Promise<number> {
    using reply = await egress.send(request);
    let largest = 0;
    await reply.pump(async ({ length }) => {
      largest = Math.max(largest, length);
      await Bun.sleep(1);
    });
    return largest;
  }

  test("of a stream are small, and those of a later answer on its connection are not", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(large));
    const egress = openEgress(LIMITS);
    const ofStream = requestTo(upstream, { isStream: true });
    const ofAnswer = requestTo(upstream, { isStream: false });

    expect(await largestChunk(egress, ofStream)).toBeLessThanOrEqual(smallBytes);
    expect(await largestChunk(egress, ofAnswer)).toBeGreaterThan(smallBytes);
    expect(upstream.connections).toBe(1);
    egress.close();
  });

  test.each<[string, Partial<UpstreamRequest>]>([
    ["with images", { hasLargeEvents: true }],
    ["of a model that makes images only", { isSlow: true }],
  ])("of a stream %s are large", async (_, more) => {
    await using upstream = await openRawUpstream((socket) => socket.write(large));
    const egress = openEgress(LIMITS);

    expect(await largestChunk(egress, requestTo(upstream, more))).toBeGreaterThan(smallBytes);
    egress.close();
  });
});

describe("a large request", () => {
  const bodies: [string, string][] = [
    ["of plain letters", "0123456789".repeat(2_000_000)],
    ["of letters beyond Latin-1", "é狐😀x".repeat(2_000_000)],
    ["of Latin letters beyond ASCII", "éü".repeat(5_000_000)],
    ["with half a surrogate pair", `${"é狐".repeat(1_000_000)}\ud83d!`],
  ];
  test.each(bodies)("%s arrives completely at a slow reader", async (_what, body) => {
    const sizeBytes = Buffer.byteLength(body);
    await using upstream = await openSlowUpstream((socket, readBytes) => {
      if (readBytes === sizeBytes) {
        socket.write(sized("thanks"));
        return;
      }
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    const egress = openEgress(LIMITS);

    expect(await askFor(egress, requestTo(upstream, { body }))).toBe("thanks");

    expect(upstream.digest()).toBe(createHash("sha256").update(body).digest("hex"));
    egress.close();
  });

  test("in pieces arrives completely at a slow reader", async () => {
    const bytes = Buffer.alloc(20_000_000, "0123456789");
    await using upstream = await openSlowUpstream((socket, readBytes) => {
      if (readBytes === bytes.length + 2) socket.write(sized("thanks"));
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    const egress = openEgress(LIMITS);

    const body = new Pieces(["é", bytes]);
    expect(await askFor(egress, requestTo(upstream, { body }))).toBe("thanks");

    const sent = createHash("sha256").update("é").update(bytes).digest("hex");
    expect(upstream.digest()).toBe(sent);
    egress.close();
  });

  test("in pieces is read only as far as the server accepts it", async () => {
    // More than any system holds for a connection at its ends.
    const count = 192;
    const piece = Buffer.alloc(PIECE_BYTES);
    let taken = 0;
    const stretch = {
      sizeBytes: count * PIECE_BYTES,
      *[Symbol.iterator]() {
        for (; taken < count; taken++) yield piece;
      },
    };
    const paused = Promise.withResolvers<Socket>();
    await using upstream = await openSlowUpstream((socket) => {
      socket.pause();
      paused.resolve(socket);
    });
    const egress = openEgress(LIMITS);

    const asking = askFor(egress, requestTo(upstream, { body: new Pieces([stretch]) }));
    const socket = await paused.promise;
    for (let turn = 0; turn < 10 * count; turn++) await nextTurn();
    socket.write(sized("enough"));

    expect(await asking).toBe("enough");
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(count / 2);
    egress.close();
  });

  test("may get its response while it is still being sent", async () => {
    const body = "x".repeat(20_000_000);
    let hasBegun = false;
    await using upstream = await openSlowUpstream((socket, readBytes) => {
      if (!hasBegun) socket.write(`${OK}Content-Length: 8\r\n\r\nbegu`);
      hasBegun = true;
      if (readBytes === body.length) socket.write("n so");
    });
    const egress = openEgress(LIMITS);

    expect(await askFor(egress, requestTo(upstream, { body }))).toBe("begun so");

    expect(upstream.digest()).toBe(createHash("sha256").update(body).digest("hex"));
    egress.close();
  });

  test("with a response before it was read makes the connection unusable", async () => {
    const body = "x".repeat(20_000_000);
    const closed = Promise.withResolvers<void>();
    await using upstream = await openSlowUpstream((socket, readBytes) => {
      if (readBytes > 1_000_000) return;
      socket.pause();
      socket.write(sized("enough"));
      socket.on("close", () => closed.resolve());
      setTimeout(() => socket.resume(), 50);
    });
    const deadlines = new Deadlines();

    expect(await askFor(openEgress(LIMITS, deadlines), requestTo(upstream, { body }))).toBe(
      "enough",
    );

    expect(deadlines.size).toBe(0);
    await closed.promise;
  });

  const refusals: [string, (socket: Socket) => void][] = [
    ["ends the connection", (socket) => socket.end()],
    ["drops the connection", (socket) => socket.destroy()],
  ];
  test.each(refusals)(
    "[C8] refused early by a server that then %s: the refusal is read",
    async (_how, close) => {
      const refusal = sized('{"error":"too large"}', "413 Content Too Large");
      const body = "x".repeat(5_000_000);
      await using upstream = await openSlowUpstream((socket) => {
        socket.pause();
        socket.write(refusal, () => close(socket));
      });
      const egress = openEgress(LIMITS);

      for (let i = 0; i < times(20, 500); i++) {
        const reply = await egress.send(requestTo(upstream, { body }));
        const text = Buffer.from(await reply.readAll()).toString();
        expect({ status: reply.status, text }).toEqual({
          status: 413,
          text: '{"error":"too large"}',
        });
        reply.close();
      }
    },
    60_000,
  );
});

import { describe, expect, spyOn, test } from "bun:test";
import type { Socket } from "node:net";
import { GatewayError } from "#core/error.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { random, SEED, times } from "#test/seed.ts";
import { Exchange } from "./exchange.ts";
import {
  askFor,
  faultOf,
  LIMITS,
  OK,
  openRawUpstream,
  requestTo,
  sized,
} from "#test/egress/raw-upstream.ts";
import type { OnPiece, UpstreamReply } from "./egress.ts";
import { openEgress } from "./upstream.ts";

const KIB = 1024;
/** More than any system holds for a connection at its ends. */
const SIZE = 96 * KIB * KIB;
/** What we may hold: the limit, and what is read at once. */
const OURS_BYTES = 1024 * KIB;

/** Counts what comes off the connections, whoever takes it. */
function countArrivals(): { bytes: number; pieces: number } & Disposable {
  const arrivals = { bytes: 0, pieces: 0 };
  const { onData } = Exchange.prototype;
  const spy = spyOn(Exchange.prototype, "onData").mockImplementation(function (
    this: Exchange,
    bytes: Buffer,
  ) {
    arrivals.bytes += bytes.length;
    arrivals.pieces++;
    onData.call(this, bytes);
  });
  return Object.assign(arrivals, { [Symbol.dispose]: () => spy.mockRestore() });
}

/** Sends so many bytes, each of which tells its place, as fast as they are taken. */
function sendPattern(
  socket: Socket,
  sizeBytes: number,
  onSent = (): void => {},
): { sentBytes: number } {
  const progress = { sentBytes: 0 };
  const send = (): void => {
    while (progress.sentBytes < sizeBytes) {
      const piece = pattern(progress.sentBytes, Math.min(64 * KIB, sizeBytes - progress.sentBytes));
      progress.sentBytes += piece.length;
      if (!socket.write(piece)) {
        socket.once("drain", send);
        return;
      }
    }
    onSent();
  };
  send();
  return progress;
}

/** Its period is a prime, so that no power of two can hide a piece that is lost or moved. */
const PERIOD = 65_521;
const REPEATED = Buffer.from(
  Array.from({ length: 2 * PERIOD }, (_, i) => ((i % PERIOD) * 31 + ((i % PERIOD) >> 8)) & 0xff),
);

function pattern(from: number, length: number): Buffer {
  const start = from % PERIOD;
  return REPEATED.subarray(start, start + Math.min(length, PERIOD));
}

/** Throws at the first byte that is not where it belongs. */
function checker(): OnPiece & { bytes: number } {
  const check = (piece: Uint8Array): void => {
    for (let at = 0; at < piece.length;) {
      const expected = pattern(check.bytes, piece.length - at);
      if (expected.compare(piece, at, at + expected.length) !== 0) throw new Error("out of order");
      at += expected.length;
      check.bytes += expected.length;
    }
  };
  check.bytes = 0;
  return check;
}

/** Waits until a number stands still. */
async function settled(read: () => number): Promise<number> {
  for (let before = -1; ;) {
    const now = read();
    if (now === before) return now;
    before = now;
    await Bun.sleep(150);
  }
}

describe("a consumer that is not ready", () => {
  test("pauses the sender, buffers little, and then gets every byte in order", async () => {
    let progress = { sentBytes: 0 };
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}Content-Length: ${SIZE}\r\n\r\n`);
      progress = sendPattern(socket, SIZE);
    });
    using arrivals = countArrivals();
    const egress = openEgress(LIMITS);
    const reply = await egress.send(requestTo(upstream));
    const check = checker();
    const ready = Promise.withResolvers<void>();

    const reading = reply.pump((piece) => {
      void check(piece);
      return check.bytes > 2 * KIB * KIB ? ready.promise : undefined;
    });
    expect(await settled(() => progress.sentBytes)).toBeLessThan(SIZE);

    expect(arrivals.bytes - check.bytes).toBeLessThan(OURS_BYTES);
    ready.resolve();
    await reading;
    expect(check.bytes).toBe(SIZE);
    reply.close();
    egress.close();
  });

  test("repeatedly, gets every byte in order", async () => {
    const pieces = random(SEED);
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}\r\n`);
      sendPattern(socket, SIZE / 8, () => socket.end());
    });
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    const check = checker();

    await reply.pump((piece) => {
      void check(piece);
      const mood = pieces();
      if (mood < 0.3) return undefined;
      return mood < 0.6 ? Promise.resolve() : Bun.sleep(mood * 3);
    });

    expect(check.bytes).toBe(SIZE / 8);
    reply.close();
  });

  test("gets all bytes from before the server closed the connection", async () => {
    const size = 100 * KIB;
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}\r\n`);
      sendPattern(socket, size, () => socket.end());
    });
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    const check = checker();

    await reply.pump((piece) => {
      void check(piece);
      return Bun.sleep(20);
    });

    expect(check.bytes).toBe(size);
    reply.close();
  });

  test("gets the bytes from before the response broke off, and then the error", async () => {
    const seen: string[] = [];
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n`);
      setTimeout(() => socket.write("3\r\ntwo\r\nnonsense\r\n"), 20);
    });
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    const ready = Promise.withResolvers<void>();

    const reading = reply.pump((piece) => {
      seen.push(Buffer.from(piece).toString());
      return seen.length === 1 ? ready.promise : undefined;
    });
    // There is no more use for the connection, whether or not the taker knows already.
    await upstream.reaches(0);
    expect(seen).toEqual(["one"]);
    ready.resolve();

    expect(await faultOf(reading)).toBe("upstream_failed");
    expect(seen).toEqual(["one", "two"]);
    reply.close();
  });
});

describe("a response that breaks off in the same write as its last good bytes", () => {
  const chunked = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
  const breaks: [string, string, "reset" | "open"][] = [
    ["a malformed chunk size", `${chunked}3\r\none\r\n3\r\ntwo\r\nnonsense\r\n`, "open"],
    ["a chunk that is too long", `${chunked}6\r\nonetwo!\r\n`, "open"],
    ["a reset amid chunks", `${chunked}3\r\none\r\n9\r\ntwo`, "reset"],
    ["more bytes than it announced", `${OK}Content-Length: 6\r\n\r\nonetwo!`, "open"],
    ["a reset before the announced length", `${OK}Content-Length: 7\r\n\r\nonetwo`, "reset"],
    ["a reset of a body without a length", `${OK}\r\nonetwo`, "reset"],
  ];
  test.each(breaks)("by %s: the bytes are delivered, then the error", async (_by, answer, end) => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(answer);
      if (end === "reset") socket.resetAndDestroy();
    });
    for (const isSlow of [false, true]) {
      const reply = await openEgress(LIMITS).send(requestTo(upstream));
      let seen = "";

      const reading = reply.pump((piece) => {
        seen += Buffer.from(piece).toString();
        return isSlow ? Promise.resolve() : undefined;
      });

      expect(await faultOf(reading)).toBe("upstream_failed");
      expect({ status: reply.status, seen }).toEqual({ status: 200, seen: "onetwo" });
      await upstream.reaches(0);
      reply.close();
    }
  });

  test("a consumer that waits for more gets the bytes, then the error", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write(`${chunked}3\r\none\r\n`);
    });
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    const seen: string[] = [];

    const reading = reply.pump((piece) => {
      seen.push(Buffer.from(piece).toString());
      if (seen.length === 1) socket?.write("3\r\ntwo\r\nnonsense\r\n");
    });

    expect(await faultOf(reading)).toBe("upstream_failed");
    expect(seen).toEqual(["one", "two"]);
    reply.close();
  });

  test("without any good byte, there is no response", async () => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${chunked}nonsense\r\n`);
    });

    expect(await faultOf(openEgress(LIMITS).send(requestTo(upstream)))).toBe("upstream_failed");
  });

  test("as a whole, it is an error", async () => {
    for (const [, answer] of breaks.filter(([, , end]) => end === "open")) {
      await using upstream = await openRawUpstream((socket) => void socket.write(answer));

      expect(await faultOf(askFor(openEgress(LIMITS), requestTo(upstream)))).toBe(
        "upstream_failed",
      );
    }
  });
});

describe("bytes that arrive before there is a consumer", () => {
  test("are buffered in order, up to a limit, and the response continues once there is one", async () => {
    let progress = { sentBytes: 0 };
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}Content-Length: ${SIZE}\r\n\r\n`);
      progress = sendPattern(socket, SIZE);
    });
    using arrivals = countArrivals();
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    expect(await settled(() => progress.sentBytes)).toBeLessThan(SIZE);
    expect(arrivals.bytes).toBeLessThan(OURS_BYTES);

    const check = checker();
    await reply.pump(check);

    expect(check.bytes).toBe(SIZE);
    reply.close();
  });

  test("count with an overhead if they arrive in small chunks", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each.setNoDelay(true);
      each.write(`${OK}\r\n`);
    });
    using arrivals = countArrivals();
    const reply = await openEgress(LIMITS).send(requestTo(upstream));

    for (let i = 0; i < 2_000; i++) {
      socket?.write("x");
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }

    expect(arrivals.pieces).toBeGreaterThan(100);
    expect(arrivals.pieces).toBeLessThan(600);
    socket?.end();
    expect(await reply.readAll()).toEqual(new Uint8Array(Buffer.alloc(2_000, "x")));
    reply.close();
  });
});

describe("a large chunk", () => {
  /** The chunks as they came, the text while each was taken, and their lengths in the end. */
  async function take(isLent: boolean): Promise<{ readonly isWhole: boolean; left: number[] }> {
    const text = Array.from({ length: 2_048 * 128 }, (_, at) => String(at).padStart(8)).join("");
    await using upstream = await openRawUpstream((socket) => void socket.write(sized(text)));
    const reply = await openEgress(LIMITS).send(requestTo(upstream));
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    let seen = "";
    await reply.pump(async (chunk) => {
      chunks.push(chunk);
      sizeBytes = Math.max(sizeBytes, chunk.length);
      await Bun.sleep(5);
      seen += Buffer.from(chunk).toString("latin1");
    }, isLent);
    reply.close();
    expect(sizeBytes).toBeGreaterThan(64 * KIB);
    return { isWhole: seen === text, left: chunks.map(({ length }) => length) };
  }

  test("that is lent stays until it was taken, and is freed then", async () => {
    const { isWhole, left } = await take(true);

    expect(isWhole).toBe(true);
    expect(Math.max(...left)).toBeLessThanOrEqual(16 * KIB);
  });

  test("that is not lent is the consumer's", async () => {
    const { isWhole, left } = await take(false);

    expect(isWhole).toBe(true);
    expect(left.reduce((sum, bytes) => sum + bytes, 0)).toBe(2_048 * KIB);
  });
});

describe("a consumer that fails", () => {
  const ways: [string, OnPiece][] = [
    [
      "at once",
      () => {
        throw new GatewayError("too_large", "Enough.");
      },
    ],
    ["later", () => Promise.reject(new GatewayError("too_large", "Enough."))],
  ];
  test.each(ways)("%s, gets its own error, and the upstream is closed", async (_how, onPiece) => {
    await using upstream = await openRawUpstream((socket) => {
      socket.write(`${OK}\r\nhi`);
    });
    const reply = await openEgress(LIMITS).send(requestTo(upstream));

    expect(await faultOf(reply.pump(onPiece))).toBe("too_large");

    await upstream.reaches(0);
    reply.close();
  });
});

test("[C6] a body without a length on a reset connection is not complete", async () => {
  await using upstream = await openRawUpstream((socket) => {
    socket.write(`${OK}\r\nhalf of`);
    setTimeout(() => socket.resetAndDestroy(), 20);
  });

  expect(await faultOf(askFor(openEgress(LIMITS), requestTo(upstream)))).toBe("upstream_failed");
});

describe("no request is sent for a client that has disconnected", () => {
  test("neither on a new connection nor on an idle one", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const deadlines = new Deadlines();
    const egress = openEgress(LIMITS, deadlines);
    const gone = requestTo(upstream, { signal: AbortSignal.abort() });

    expect(await faultOf(egress.send(gone))).toBe("canceled");
    expect(upstream.connections).toBe(0);
    await askFor(egress, requestTo(upstream));
    expect(await faultOf(egress.send(gone))).toBe("canceled");

    expect(await askFor(egress, requestTo(upstream))).toBe("hi");
    expect({ requests: upstream.requests.length, connections: upstream.connections }).toEqual({
      requests: 2,
      connections: 1,
    });
    egress.close();
    expect(deadlines.size).toBe(0);
  });
});

test("a client that disconnects during the connection attempt leaves no connection behind", async () => {
  await using upstream = await openRawUpstream(() => {});
  const deadlines = new Deadlines();
  const egress = openEgress(LIMITS, deadlines);

  for (let i = 1; i <= 20; i++) {
    const caller = new AbortController();
    const sending = egress.send(requestTo(upstream, { signal: caller.signal }));
    caller.abort();
    expect(await faultOf(sending)).toBe("canceled");
    while (upstream.connections < i) await Bun.sleep(1);
  }

  await upstream.reaches(0);
  expect({ requests: upstream.requests, deadlines: deadlines.size }).toEqual({
    requests: [],
    deadlines: 0,
  });
});

/** A signal that knows how many listen to it. */
function watchedSignal(): { signal: AbortSignal; abort(): void; readonly listeners: number } {
  const caller = new AbortController();
  const { signal } = caller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<AbortSignal["addEventListener"]>) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<AbortSignal["removeEventListener"]>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  return {
    signal,
    abort: () => caller.abort(),
    get listeners() {
      return listeners.size;
    },
  };
}

describe("discarding a response releases its deadline, its listener and its connection", () => {
  const never = new Promise<void>(() => {});
  const states: [string, string, (reply: UpstreamReply) => Promise<unknown>][] = [
    ["that were not read yet", `${OK}Content-Length: 9\r\n\r\nhi`, async () => {}],
    [
      "that is being taken",
      `${OK}Content-Length: 9\r\n\r\nhi`,
      async (reply) => {
        const came = Promise.withResolvers<void>();
        const reading = reply.pump(() => came.resolve());
        await came.promise;
        return reading;
      },
    ],
    [
      "whose taker is not ready",
      `${OK}Content-Length: 9\r\n\r\nhi`,
      async (reply) => {
        const came = Promise.withResolvers<void>();
        const reading = reply.pump(() => {
          came.resolve();
          return never;
        });
        await came.promise;
        return reading;
      },
    ],
    [
      "that waits for its taker, whole",
      sized("hi"),
      async (reply) => {
        const came = Promise.withResolvers<void>();
        const reading = reply.pump(() => {
          came.resolve();
          return never;
        });
        await came.promise;
        return reading;
      },
    ],
    ["that was taken to its end", sized("hi"), async (reply) => await reply.readAll()],
    [
      "that failed",
      `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nx`,
      async (reply) => await reply.readAll(),
    ],
  ];
  test.each(states)("%s", async (_what, answer, take) => {
    await using upstream = await openRawUpstream((socket) => void socket.write(answer));
    const deadlines = new Deadlines();
    const egress = openEgress(LIMITS, deadlines);
    const caller = watchedSignal();
    const reply = await egress.send(requestTo(upstream, { signal: caller.signal }));
    const outcome = take(reply).then(
      () => "ended",
      (cause: unknown) => GatewayError.from(cause).code,
    );
    await Bun.sleep(20);

    reply.close();
    reply.close();

    // Whoever was still reading is not left waiting.
    expect(["ended", "canceled", "upstream_failed"]).toContain(await outcome);
    egress.close();
    expect({ deadlines: deadlines.size, listeners: caller.listeners }).toEqual({
      deadlines: 0,
      listeners: 0,
    });
    await upstream.reaches(0);
  });

  test("after a thousand responses of every kind nothing is left", async () => {
    const numbers = random(SEED);
    const kinds = [
      `${OK}Content-Length: 9\r\n\r\nhi`,
      "nonsense\r\n\r\n",
      "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
      `${OK}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi`,
      sized("hi"),
      `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
      sized("no", "500 Oops"),
      "",
      "reset",
      "half and reset",
    ];
    await using upstream = await openRawUpstream((socket, { head }) => {
      const answer = kinds[Number(/^x-kind: (\d+)/m.exec(head)?.[1])] ?? "";
      if (answer === "reset") socket.resetAndDestroy();
      else if (answer === "half and reset") {
        socket.write(`${OK}\r\nhi`, () => socket.resetAndDestroy());
      } else socket.write(answer);
    });
    const nobody = await openRawUpstream(() => {});
    await nobody[Symbol.asyncDispose]();
    const deadlines = new Deadlines();
    const egress = openEgress({ ...LIMITS, firstByteMs: 300, idleMs: 300 }, deadlines);
    const callers = Array.from({ length: 10 }, () => watchedSignal());
    const counts: Record<string, number> = {};

    const call = async (): Promise<string> => {
      const caller = callers[Math.floor(numbers() * callers.length)] ?? watchedSignal();
      const kind = Math.floor(numbers() * kinds.length);
      const reply = await egress.send(
        requestTo(numbers() < 0.1 ? nobody : upstream, {
          signal: caller.signal,
          pool: `channel ${Math.floor(numbers() * 5)}`,
          authorize: () => ({ "x-kind": `${kind}` }),
        }),
      );
      try {
        if (numbers() < 0.2) return "let go";
        await reply.readAll();
        return "ended";
      } finally {
        reply.close();
      }
    };
    const rounds = times(4, 100);
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: 250 }, () =>
        call().catch((cause: unknown) => GatewayError.from(cause).code),
      );
      // In each round one caller hangs up in the middle.
      await Bun.sleep(2);
      callers.shift()?.abort();
      callers.push(watchedSignal());
      for (const outcome of await Promise.all(calls)) counts[outcome] = (counts[outcome] ?? 0) + 1;
      expect(callers.map(({ listeners }) => listeners)).toEqual(callers.map(() => 0));
    }

    expect(Object.keys(counts).toSorted()).toEqual([
      "canceled",
      "ended",
      "let go",
      "upstream_failed",
      "upstream_timeout",
      "upstream_unreachable",
    ]);
    egress.close();
    expect(deadlines.size).toBe(0);
    await upstream.reaches(0);
  }, 120_000);
});

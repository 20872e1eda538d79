import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { RateReservation, RateLimits } from "#core/limits.ts";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { areCountersReachable, COUNTERS, openScratchCounters } from "#test/scratch-counters.ts";
import { waitFor } from "#test/wait.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { describeLimiter } from "#test/storage/contract-counters.ts";
import { InProcessLimiter } from "./in-process.ts";
import { SharedLimiter, type SharedOptions } from "./shared.ts";

if (!areCountersReachable) process.stderr.write("No Valkey or Redis: its tests are left out.\n");

test.if(process.env["CI"] !== undefined)(
  "the counter server is available in the full test environment",
  () => {
    expect(areCountersReachable).toBe(true);
  },
);

function openAt(more: Partial<SharedOptions>): Promise<SharedLimiter> {
  return SharedLimiter.open({
    url: COUNTERS,
    prefix: "sluice-test:",
    local: new InProcessLimiter(systemClock),
    deadlines: new Deadlines(),
    onDown: () => {},
    onUp: () => {},
    ...more,
  });
}

function claimOn(id: string, limits: RateLimits, tokens = 1): RateReservation {
  return { id: crypto.randomUUID(), bounds: [{ id, limits, tokens }] };
}

describe.if(areCountersReachable)("counters on a server", () => {
  describeLimiter("on a server that gateways share", async () => {
    const scratch = await openScratchCounters();
    const limiter = await openAt(scratch);
    return {
      limiter,
      pass: (ms) => scratch.pass(ms),
      async [Symbol.asyncDispose]() {
        expect(limiter.isShared).toBe(true);
        limiter[Symbol.dispose]();
        await scratch[Symbol.asyncDispose]();
      },
    };
  });

  test("two gateways together admit as many calls as one", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt(scratch);
    using two = await openAt(scratch);
    const limits = { requestsPerMinute: 7, concurrency: 5 };
    const claims = Array.from({ length: 60 }, () => claimOn("key:1", limits));

    const verdicts = await Promise.all(
      claims.map(async (reservation, i) => (i % 2 === 0 ? one : two).take(reservation)),
    );

    expect(verdicts.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
  });

  test("the server's own clock decides unless a test sets it", async () => {
    await using scratch = await openScratchCounters();
    using limiter = await openAt({ prefix: scratch.prefix });
    const limits = { requestsPerMinute: 600 };
    const verdicts = await Promise.all(
      Array.from({ length: 601 }, async () => limiter.take(claimOn("key:1", limits))),
    );
    const refused = verdicts.filter(({ refusal }) => refusal !== undefined);

    expect(refused.length).toBeLessThanOrEqual(1);
    await Bun.sleep(250);
    expect((await limiter.take(claimOn("key:1", limits))).refusal).toBeUndefined();
  });

  test("a dead gateway's slots are released at the end of their lease; other gateways keep theirs", async () => {
    await using scratch = await openScratchCounters();
    using alive = await openAt({ ...scratch, leaseMs: 300 });
    const limits = { concurrency: 2 };
    const dead = await openAt({ ...scratch, leaseMs: 300 });
    await dead.take(claimOn("key:1", limits));
    await alive.take(claimOn("key:1", limits));
    dead[Symbol.dispose]();

    expect((await alive.take(claimOn("key:1", limits))).refusal).toBeDefined();
    await scratch.pass(250);
    // By now the living one has said again that its call is running.
    await Bun.sleep(200);
    await scratch.pass(100);
    expect((await alive.take(claimOn("key:1", limits))).refusal).toBeUndefined();
    expect((await alive.take(claimOn("key:1", limits))).refusal).toBeDefined();
  });

  test("a busy gateway does not treat the server as lost", async () => {
    await using scratch = await openScratchCounters();
    using limiter = await openAt(scratch);

    for (let round = 0; round < 2; round++) {
      const asked = limiter.take(claimOn("key:1", { requestsPerMinute: 100 }));
      if (round % 2 === 1) await Bun.sleep(0);
      const until = performance.now() + 400;
      while (performance.now() < until);
      await asked;
    }

    expect(limiter.isShared).toBe(true);
  });

  test("every key expires", async () => {
    await using scratch = await openScratchCounters();
    using limiter = await openAt({ prefix: scratch.prefix });
    const limits = { requestsPerMinute: 60, tokensPerMinute: 100, concurrency: 2 };
    await limiter.take(claimOn("key:1", limits, 10));

    const kept = (await scratch.keys()).filter((key) => !key.endsWith("clock"));
    const lives = await Promise.all(kept.map((key) => scratch.send("PTTL", key)));

    expect(kept).toHaveLength(2);
    for (const life of lives) expect(Number(life)).toBeWithin(1, 61_000);
  });

  test("scripts are loaded again after the server lost them", async () => {
    await using scratch = await openScratchCounters();
    const forgotten = { ...scratch.scripts.take, sha1: "f".repeat(40) };
    using limiter = await openAt({ ...scratch, scripts: { ...scratch.scripts, take: forgotten } });

    const verdict = await limiter.take(claimOn("key:1", { requestsPerMinute: 1 }));

    expect(verdict.refusal).toBeUndefined();
    expect(limiter.isShared).toBe(true);
  });

  test("a gateway decides alone while the server is unreachable, logs it once, and reconnects", async () => {
    await using scratch = await openScratchCounters();
    await using cutter = await openCutter(COUNTERS);
    const told: string[] = [];
    using limiter = await openAt({
      ...scratch,
      url: cutter.through(COUNTERS),
      onDown: () => void told.push("down"),
      onUp: () => void told.push("up"),
    });
    const limits = { requestsPerMinute: 2, concurrency: 9 };
    const before = claimOn("key:1", limits);
    expect((await limiter.take(before)).refusal).toBeUndefined();

    cutter.cut();
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, async () => limiter.take(claimOn("key:1", limits))),
    );
    expect(verdicts.filter(({ refusal }) => refusal === undefined)).toHaveLength(2);
    limiter.release(before);
    limiter.correct(before, 5);

    cutter.mend();
    await waitFor(() => limiter.isShared);
    expect(told).toEqual(["down", "up"]);
    // There the one call from before is still known.
    expect((await limiter.take(claimOn("key:1", limits))).refusal).toBeUndefined();
    expect((await limiter.take(claimOn("key:1", limits))).refusal).toBeDefined();
  }, 20_000);
});

describe.if(areCountersReachable)("a server that comes and goes", () => {
  test("is reconnected quickly, even after many outages", async () => {
    await using scratch = await openScratchCounters();
    await using cutter = await openCutter(COUNTERS);
    using limiter = await openAt({ ...scratch, url: cutter.through(COUNTERS), redialMs: 20 });

    for (let round = 0; round < 8; round++) {
      await limiter.take(claimOn(`key:${round}`, { requestsPerMinute: 1 }));
      cutter.cut();
      await limiter.take(claimOn(`key:${round}`, { requestsPerMinute: 1 }));
      cutter.mend();
      await waitFor(() => limiter.isShared, 1_000);
    }
  });
});

describe.if(areCountersReachable)("a server that falls silent", () => {
  test("delays no call by more than half a second", async () => {
    await using scratch = await openScratchCounters();
    await using path = await openPath();
    using limiter = await openAt({ ...scratch, url: path.url });
    const limits = { requestsPerMinute: 1 };
    await limiter.take(claimOn("key:1", limits));

    path.fallSilent();
    const startedAt = performance.now();
    const verdict = await limiter.take(claimOn("key:2", limits));

    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(verdict.refusal).toBeUndefined();
    expect(limiter.take(claimOn("key:2", limits))).not.toBeInstanceOf(Promise);
  });
});

/** A way to the server that stays open when nothing passes any more. */
async function openPath(): Promise<AsyncDisposable & { url: string; fallSilent(): void }> {
  const { hostname, port } = new URL(COUNTERS);
  const sockets: Socket[] = [];
  const path = createServer((inbound) => {
    const outbound = connect(Number(port || 6379), hostname);
    sockets.push(inbound, outbound);
    for (const socket of [inbound, outbound]) socket.on("error", () => {});
    inbound.pipe(outbound).pipe(inbound);
  }).listen(0, "127.0.0.1");
  await once(path, "listening");
  const url = new URL(COUNTERS);
  url.hostname = "127.0.0.1";
  url.port = String(portOf(path));
  return {
    url: url.href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      path.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("a gateway starts without the counter server and decides alone", async () => {
  const told: unknown[] = [];
  using limiter = await openAt({
    url: "redis://127.0.0.1:1",
    onDown: (cause) => void told.push(cause),
  });
  const verdicts = [1, 2, 3].map(() => limiter.take(claimOn("key:1", { requestsPerMinute: 2 })));

  expect(told).toHaveLength(1);
  expect(verdicts.map((each) => each instanceof Promise)).toEqual([false, false, false]);
  expect((await verdicts[1])?.refusal).toBeUndefined();
  expect((await verdicts[2])?.refusal).toBeDefined();
});

test("a slot taken without the server is released normally", async () => {
  using limiter = await openAt({ url: "redis://127.0.0.1:1" });
  const reservation = claimOn("key:1", { concurrency: 1 });
  await limiter.take(reservation);
  expect((await limiter.take(claimOn("key:1", { concurrency: 1 }))).refusal).toBeDefined();

  limiter.correct(reservation, 5);
  limiter.release(reservation);

  expect((await limiter.take(claimOn("key:1", { concurrency: 1 }))).refusal).toBeUndefined();
});

test("a server that accepts connections but never answers delays neither the start nor a call", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  try {
    const startedAt = performance.now();
    using limiter = await openAt({ url: `redis://127.0.0.1:${portOf(silent)}` });
    expect(performance.now() - startedAt).toBeLessThan(3_000);

    const verdict = limiter.take(claimOn("key:1", { requestsPerMinute: 1 }));
    expect(verdict).not.toBeInstanceOf(Promise);
  } finally {
    silent.close();
  }
}, 10_000);

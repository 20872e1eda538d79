import { describe, expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { areCountersReachable, COUNTERS, openScratchCounters } from "#test/scratch-counters.ts";
import { waitFor } from "#test/wait.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { digestOf } from "../secrets/secrets.ts";
import { describeLogins, waitOf } from "#test/storage/contract-logins.ts";
import { InProcessLogins } from "./in-process-logins.ts";
import { SharedLogins, type SharedLoginsOptions } from "./shared-logins.ts";

const PEPPER = new Uint8Array(32).fill(7);
const HERE = "198.51.100.1";

function openAt(more: Partial<SharedLoginsOptions>): Promise<SharedLogins> {
  return SharedLogins.open({
    url: COUNTERS,
    prefix: "sluice-test:",
    local: new InProcessLogins(systemClock),
    digest: (name) => digestOf(name, PEPPER),
    deadlines: new Deadlines(),
    onDown: () => {},
    onUp: () => {},
    ...more,
  });
}

describe.if(areCountersReachable)("counters on a server", () => {
  describeLogins("on a server that gateways share", async () => {
    const { prefix, loginScripts: scripts, ...scratch } = await openScratchCounters();
    const limiter = await openAt({ prefix, scripts });
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

  test("two gateways together allow as many attempts as one", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt({ prefix: scratch.prefix });
    using two = await openAt({ prefix: scratch.prefix });

    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => waitOf(i % 2 === 0 ? one : two, "ada", HERE)),
    );

    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(5);
    two.succeeded("ada", HERE);
    expect(await waitOf(two, "ada", HERE)).toBe(0);
    expect(await waitOf(one, "ada", HERE)).toBe(0);
  });

  test("names and addresses are not readable on the server, and every key expires", async () => {
    await using scratch = await openScratchCounters();
    using limiter = await openAt({ prefix: scratch.prefix });
    await limiter.enter("ada", HERE);

    const kept = (await scratch.keys()).filter((key) => !key.endsWith("clock"));
    const lives = await Promise.all(kept.map((key) => scratch.send("PTTL", key)));

    expect(kept).toHaveLength(2);
    expect(kept.join()).not.toMatch(/ada|198\.51/);
    for (const life of lives) expect(Number(life)).toBeWithin(1, 3_600_001);
  });

  test("a gateway counts alone while the server is unreachable, and together with the others afterwards", async () => {
    await using scratch = await openScratchCounters();
    await using cutter = await openCutter(COUNTERS);
    const told: string[] = [];
    using limiter = await openAt({
      prefix: scratch.prefix,
      url: cutter.through(COUNTERS),
      redialMs: 20,
      onDown: () => void told.push("down"),
      onUp: () => void told.push("up"),
    });
    const tries = async (): Promise<number> => {
      const waits = [];
      for (let i = 0; i < 9; i++) waits.push(await waitOf(limiter, "ada", HERE));
      return waits.filter((waitMs) => waitMs === 0).length;
    };

    expect(await tries()).toBe(5);
    cutter.cut();
    expect(await tries()).toBe(5);
    cutter.mend();
    await waitFor(() => limiter.isShared);

    expect(await tries()).toBe(0);
    expect(told).toEqual(["down", "up"]);
  }, 20_000);
});

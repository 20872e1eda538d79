import { describe, expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { areCountersReachable, COUNTERS, openScratchCounters } from "#test/scratch-counters.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { describeHomes, HOME_MS, ONE } from "#test/storage/contract-homes.ts";
import { InProcessHomes } from "./in-process-homes.ts";
import { SharedHomes, type SharedHomesOptions } from "./shared-homes.ts";

function openAt(more: Partial<SharedHomesOptions>): Promise<SharedHomes> {
  return SharedHomes.open({
    url: COUNTERS,
    prefix: "sluice-test:",
    local: new InProcessHomes(systemClock),
    deadlines: new Deadlines(),
    onDown: () => {},
    onUp: () => {},
    ...more,
  });
}

describe.if(areCountersReachable)("on a server", () => {
  describeHomes("that gateways share", async () => {
    const { prefix, ...scratch } = await openScratchCounters();
    const homes = await openAt({ prefix });
    return {
      homes,
      async [Symbol.asyncDispose]() {
        homes[Symbol.dispose]();
        await scratch[Symbol.asyncDispose]();
      },
    };
  });

  test("a gateway finds the entries of another gateway, with the same lifetime", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt({ prefix: scratch.prefix });
    using two = await openAt({ prefix: scratch.prefix });
    one.keep("answered", ONE);
    // Asked on the same connection, so that the answer comes behind it.
    await one.find(["answered"]);

    expect(await two.find(["answered"])).toEqual(ONE);
    const [key = ""] = (await scratch.keys()).filter((each) => !each.endsWith("clock"));
    expect(Number(await scratch.send("PTTL", key))).toBeWithin(1, HOME_MS + 1);
  });

  test("a gateway without the server uses its own entries", async () => {
    await using scratch = await openScratchCounters();
    await using cutter = await openCutter(COUNTERS);
    using homes = await openAt({ prefix: scratch.prefix, url: cutter.through(COUNTERS) });
    cutter.cut();
    homes.keep("answered", ONE);

    expect(await homes.find(["answered"])).toEqual(ONE);
  }, 20_000);
});

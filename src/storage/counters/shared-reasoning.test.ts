import { describe, expect, test } from "bun:test";
import { Deadlines } from "#lib/deadlines.ts";
import { openSeal } from "#lib/seal.ts";
import { areCountersReachable, COUNTERS, openScratchCounters } from "#test/scratch-counters.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { waitFor } from "#test/wait.ts";
import { RemoteReasoning } from "./shared-reasoning.ts";

const SECRET = new Uint8Array(32).fill(3);
const TEXT = "Because the sky is blue.";

type Options = Parameters<typeof RemoteReasoning.open>[0];

function openAt(more: Partial<Options>): Promise<RemoteReasoning> {
  return RemoteReasoning.open({
    url: COUNTERS,
    prefix: "sluice-test:",
    deadlines: new Deadlines(),
    digest: (name) => `d-${name}`,
    seal: openSeal(SECRET, "test"),
    onDown: () => {},
    onUp: () => {},
    ...more,
  });
}

describe.if(areCountersReachable)("reasoning on a server", () => {
  test("is found by another gateway with its rest of life, and the server cannot read it", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt({ prefix: scratch.prefix });
    using two = await openAt({ prefix: scratch.prefix });
    one.keep("1 c1", TEXT, 50_000);
    await one.find([]);

    const found = await two.find(["1 c0", "1 c1"]);
    expect(found).toMatchObject([{ name: "1 c1", text: TEXT }]);
    expect(found?.[0]?.leftMs).toBeWithin(1, 50_001);
    const stored = await scratch.send("GET", `${scratch.prefix}{reasoning}:d-1 c1`);
    expect(stored).toStartWith("v1.");
    expect(stored).not.toContain("Because");
    for (const key of await scratch.keys())
      if (!key.endsWith("clock"))
        expect(Number(await scratch.send("PTTL", key))).toBeWithin(1, 50_001);
  });

  test("of another secret, or moved to another name, is not read", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt({ prefix: scratch.prefix });
    using other = await openAt({
      prefix: scratch.prefix,
      seal: openSeal(SECRET.toReversed().fill(4), "test"),
    });
    one.keep("1 c1", TEXT, 50_000);
    await one.find([]);
    const place = `${scratch.prefix}{reasoning}:d-`;
    await scratch.send("COPY", `${place}1 c1`, `${place}2 c1`);

    expect(await other.find(["1 c1"])).toEqual([]);
    expect(await one.find(["2 c1"])).toEqual([]);
  });

  test("is bounded: the oldest entries make room, and a large one is not stored", async () => {
    await using scratch = await openScratchCounters();
    using one = await openAt({ prefix: scratch.prefix, maxBytes: 1_000 });
    for (let number = 0; number < 10; number++) one.keep(`1 c${number}`, "x".repeat(150), 50_000);
    // An entry that is written again counts once.
    for (let times = 0; times < 5; times++) one.keep("1 c9", "y".repeat(150), 50_000);
    one.keep("1 large", "x".repeat(300_000), 50_000);
    const names = Array.from({ length: 10 }, (_, number) => `1 c${number}`);
    const left = await one.find([...names, "1 large"]);

    expect(left?.map(({ name }) => name)).toEqual(["1 c6", "1 c7", "1 c8", "1 c9"]);
    expect(Number(await scratch.send("GET", `${scratch.prefix}{reasoning}:sum`))).toBeWithin(
      600,
      1_001,
    );
    expect((await scratch.keys()).filter((key) => key.includes(":d-"))).toHaveLength(4);
  });

  test("is absent while the server is unreachable, and no call waits for it", async () => {
    await using scratch = await openScratchCounters();
    await using cutter = await openCutter(COUNTERS);
    using one = await openAt({
      prefix: scratch.prefix,
      url: cutter.through(COUNTERS),
      redialMs: 20,
    });
    cutter.cut();
    one.keep("1 c1", TEXT, 50_000);
    expect(await one.find(["1 c1"])).toBeUndefined();
    cutter.mend();
    await waitFor(async () => (await one.find(["1 c1"])) !== undefined);
    one.keep("1 c1", TEXT, 50_000);

    expect(await one.find(["1 c1"])).toMatchObject([{ text: TEXT }]);
  }, 20_000);
});

import { expect, test } from "bun:test";
import type { AttemptRecord } from "#core/call.ts";
import { ALL_CALLS, bucketOf, type ChannelMinute } from "#core/channel-minute.ts";
import type { FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import { aRecord } from "#test/a-record.ts";
import { ChannelMinutes } from "./channel-minutes.ts";

const MINUTE = 60_000;

/** Minutes of one gateway, whose clock the test moves. */
function stage() {
  const time = { now: 10 * MINUTE + 5_000 };
  const minutes = new ChannelMinutes({ now: () => time.now, monotonic: () => 0 });
  return { time, minutes };
}

function attempt(channel: string, fault: FaultCode | null, durationMs = 100): AttemptRecord {
  return { channel, credential: "", fault, status: null, durationMs };
}

function of(name: string, minutes: readonly ChannelMinute[]): ChannelMinute | undefined {
  return minutes.find(({ channel }) => channel === name);
}

test("an answered call is counted for its channel and for all calls, with its cost and first byte", () => {
  const { minutes } = stage();

  minutes.observe(aRecord({ cost: nanoUsd(7), firstByteMs: 300 }));
  minutes.observe(aRecord({ cost: nanoUsd(5), firstByteMs: 300 }));
  const taken = minutes.take();

  const counted = { minute: 10 * MINUTE, attempts: 2, failed: 0, cost: nanoUsd(12) };
  expect(taken).toHaveLength(2);
  expect(of("one", taken)).toEqual({
    ...counted,
    channel: "one",
    firstBytes: new Map([[bucketOf(100), 2]]),
    faults: new Map(),
  });
  expect(of(ALL_CALLS, taken)).toEqual({
    ...counted,
    channel: ALL_CALLS,
    firstBytes: new Map([[bucketOf(300), 2]]),
    faults: new Map(),
  });
});

test("a failure of the vendor or the operator counts for the channel that failed", () => {
  const { minutes } = stage();

  minutes.observe(
    aRecord({
      channel: "two",
      attempts: [
        attempt("one", "upstream_failed"),
        attempt("one", "upstream_auth"),
        attempt("two", null),
      ],
    }),
  );
  const taken = minutes.take();

  expect(of("one", taken)).toMatchObject({ attempts: 2, failed: 2 });
  expect(of("one", taken)?.firstBytes.size).toBe(0);
  expect(of("one", taken)?.faults).toEqual(
    new Map<FaultCode, number>([
      ["upstream_failed", 1],
      ["upstream_auth", 1],
    ]),
  );
  expect(of("two", taken)).toMatchObject({ attempts: 1, failed: 0 });
  expect(of(ALL_CALLS, taken)).toMatchObject({ attempts: 1, failed: 0 });
});

test("a client's mistake and a failure of the gateway are not counted for the channel", () => {
  const { minutes } = stage();

  minutes.observe(
    aRecord({ attempts: [attempt("one", "invalid_request"), attempt("one", "internal")] }),
  );

  const counted = of("one", minutes.take());
  expect(counted).toMatchObject({ attempts: 0, failed: 0 });
  expect(counted?.faults.size).toBe(0);
});

test("a failed call counts among all calls if the gateway, the vendor or the operator failed", () => {
  const { minutes } = stage();

  for (const fault of ["internal", "upstream_failed", "upstream_auth"] as const) {
    minutes.observe(aRecord({ fault, attempts: [], channel: null, firstByteMs: 100 }));
  }

  const taken = minutes.take();
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({ channel: ALL_CALLS, attempts: 3, failed: 3 });
  expect(taken[0]?.firstBytes.size).toBe(0);
  expect(taken[0]?.faults.get("internal")).toBe(1);
});

test("a call that failed by the client's mistake is not counted at all", () => {
  const { minutes } = stage();

  minutes.observe(
    aRecord({ fault: "invalid_request", attempts: [], channel: null, firstByteMs: null }),
  );

  expect(minutes.take()).toEqual([]);
});

test("a call without a first byte counts without a time", () => {
  const { minutes } = stage();

  minutes.observe(aRecord({ firstByteMs: null, attempts: [], channel: null }));

  const [counted] = minutes.take();
  expect(counted).toMatchObject({ attempts: 1, failed: 0 });
  expect(counted?.firstBytes.size).toBe(0);
});

test("the cost of a call without a channel is not the cost of any channel", () => {
  const { minutes } = stage();

  minutes.observe(aRecord({ cost: nanoUsd(7), channel: null, attempts: [] }));
  minutes.observe(aRecord({ cost: nanoUsd(0), channel: "one", attempts: [] }));

  expect(minutes.take().map(({ channel }) => channel)).toEqual([ALL_CALLS]);
});

test("a minute is taken once, and again after it changed", () => {
  const { minutes } = stage();
  minutes.observe(aRecord());

  expect(minutes.take()).toHaveLength(2);
  expect(minutes.take()).toEqual([]);
  minutes.observe(aRecord());
  expect(of("one", minutes.take())?.attempts).toBe(2);
});

test("counts that were taken do not change with later calls", () => {
  const { minutes } = stage();
  minutes.observe(aRecord());
  const taken = minutes.take();

  minutes.observe(aRecord());

  expect(of("one", taken)?.firstBytes).toEqual(new Map([[bucketOf(100), 1]]));
});

test("calls of the next minute are counted in a row of their own", () => {
  const { time, minutes } = stage();
  minutes.observe(aRecord());
  time.now += MINUTE;

  minutes.observe(aRecord());

  expect(
    minutes
      .take()
      .filter(({ channel }) => channel === "one")
      .map(({ minute, attempts }) => [minute, attempts]),
  ).toEqual([
    [10 * MINUTE, 1],
    [11 * MINUTE, 1],
  ]);
});

test("minutes that could not be stored are taken again", () => {
  const { minutes } = stage();
  minutes.observe(aRecord());
  const taken = minutes.take();

  minutes.putBack([...taken, ...taken.map((each) => ({ ...each, channel: "unknown" }))]);

  expect(minutes.take()).toEqual(taken);
});

test("minutes that are three minutes old are kept for another attempt to store them", () => {
  const { time, minutes } = stage();
  minutes.observe(aRecord());
  time.now += 3 * MINUTE;
  const taken = minutes.take();

  minutes.putBack(taken);

  expect(taken).toHaveLength(2);
  expect(minutes.take()).toEqual(taken);
});

test("older minutes leave memory, and later ones of the channel stay", () => {
  const { time, minutes } = stage();
  minutes.observe(aRecord());
  time.now += 4 * MINUTE;
  minutes.observe(aRecord());
  const taken = minutes.take();

  minutes.putBack(taken);

  expect(taken).toHaveLength(4);
  expect(new Set(minutes.take().map(({ minute }) => minute))).toEqual(new Set([14 * MINUTE]));
});

import { expect, test } from "bun:test";
import type { ChannelMinute } from "#core/channel-minute.ts";
import { nanoUsd } from "#core/money.ts";
import { ChannelReports } from "./channel-report.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 0, 2, 12);

/** A store with one attempt in each of these minutes, which notes what is read. */
function stage(...minutes: readonly number[]) {
  const reads: [string, number, number][] = [];
  const time = { now: NOON };
  const store = {
    async read(channel: string, from: number, to: number): Promise<readonly ChannelMinute[]> {
      reads.push([channel, from, to]);
      return minutes
        .filter((minute) => minute >= from && minute < to)
        .map((minute) => ({
          channel,
          minute,
          attempts: 1,
          failed: 0,
          cost: nanoUsd(0),
          firstBytes: new Map(),
          faults: new Map(),
        }));
    },
  };
  const clock = { now: () => time.now, monotonic: () => 0 };
  return { reads, time, reports: new ChannelReports(store, clock) };
}

test("attempts are reported for five minutes, for 24 hours, and since midnight in UTC", async () => {
  const { reports } = stage(
    NOON - 24 * HOUR - MINUTE,
    NOON - 24 * HOUR,
    NOON - 12 * HOUR - MINUTE,
    NOON - 12 * HOUR,
    NOON - 6 * MINUTE,
    NOON - 5 * MINUTE,
    NOON,
  );

  const { recent, day, today } = await reports.of("one");

  expect(recent.attempts).toBe(2);
  expect(day.attempts).toBe(6);
  expect(today.attempts).toBe(4);
});

test("the sums of a day are kept for five seconds for each channel, and those of minutes are not", async () => {
  const { reads, time, reports } = stage();
  const first = await reports.of("one");
  await reports.of("two");
  time.now += 4_999;

  const again = await reports.of("one");
  expect(again.day).toBe(first.day);
  expect(reads).toHaveLength(5);
  time.now += 1;
  await reports.of("one");

  expect(reads).toHaveLength(7);
});

test("the sums of at most a thousand channels are kept", async () => {
  const { reads, reports } = stage();
  const readsOf = async (channel: string): Promise<number> => {
    const before = reads.length;
    await reports.of(channel);
    return reads.length - before;
  };
  for (let at = 0; at <= 1_000; at++) await reports.of(`c${at}`);

  expect(await readsOf("c0")).toBe(1);
  await reports.of("another");

  expect(await readsOf("c0")).toBe(2);
});

test("the history of a channel has the minutes of the wanted time", async () => {
  const { reports } = stage(NOON, NOON + MINUTE, NOON + 2 * MINUTE);

  const history = await reports.history("one", NOON + MINUTE, NOON + 2 * MINUTE);

  expect(history.map(({ minute }) => minute)).toEqual([NOON + MINUTE]);
});

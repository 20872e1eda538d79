import { expect, test } from "bun:test";
import type { CallRecord, CallTags } from "#core/call.ts";
import type { OpenHold } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { systemClock } from "#lib/clock.ts";
import { recoverHolds } from "./recover-holds.ts";

const TAGS: CallTags = { session: "s-1", agent: "a-1" };

test("the holds of a killed gateway are closed with many calls per commit, not one after the other", async () => {
  const left = Array.from({ length: 20 }, (_, i) => aHold(`call-${i}`, i % 2 === 0 ? null : 7));
  const closed: string[] = [];
  const committed = Promise.withResolvers<boolean>();
  const close = (callId: string): Promise<boolean> => {
    if (closed.push(callId) === left.length) committed.resolve(true);
    return committed.promise;
  };
  const ledger = {
    listAbandoned: async () => left,
    settle: close,
    void: close,
  };

  await recoverHolds(ledger, systemClock).run(new AbortController().signal);

  expect(closed.toSorted()).toEqual(left.map(({ callId }) => callId).toSorted());
}, 5_000);

test("a call interrupted by a crash is recorded as of its last checkpoint", async () => {
  const known = aHold("call-1", 7);
  const record: CallRecord = {
    id: "call-1",
    at: 0,
    userId: 1,
    keyId: 1,
    model: "gpt-4o-mini",
    upstreamModel: "gpt-4o-mini-2024-07-18",
    channel: "main",
    provider: "openai",
    style: "chat",
    isStream: true,
    outcome: "interrupted",
    fault: "internal",
    usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 5, isEstimated: true },
    cost: nanoUsd(7),
    firstByteMs: 4,
    durationMs: 9,
    attempts: [],
    lost: [],
  };
  const left = [
    { ...known, context: { ...known.context, isStream: true, record } },
    { ...aHold("call-2", null), context: { ...known.context, isStream: true, tags: TAGS } },
  ];
  const records: CallRecord[] = [];
  const close = async (_id: string, ...[last, only]: [unknown, CallRecord?]): Promise<boolean> => {
    records.push(only ?? (last as CallRecord));
    return true;
  };

  await recoverHolds(
    { listAbandoned: async () => left, settle: close, void: close },
    systemClock,
  ).run(new AbortController().signal);

  expect(records).toMatchObject([
    { ...record, durationMs: expect.any(Number) },
    { id: "call-2", isStream: true, cost: 0, provider: null, tags: TAGS },
  ]);
});

function aHold(callId: string, delivered: number | null): OpenHold {
  return {
    callId,
    accounts: ["user:1"],
    amount: nanoUsd(10),
    openedAt: 0,
    context: { userId: 1, keyId: 1, model: "gpt-4o-mini", style: "chat" },
    checkpoint: delivered === null ? null : nanoUsd(delivered),
    instance: "gone",
  };
}

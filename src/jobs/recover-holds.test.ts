import { expect, test } from "bun:test";
import type { OpenHold } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { systemClock } from "#lib/clock.ts";
import { recoverHolds } from "./recover-holds.ts";

test("what a killed gateway left behind is closed by many calls to a commit, and not one after the other", async () => {
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

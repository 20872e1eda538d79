import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { chat } from "#styles/text/chat/index.ts";
import type { Call } from "../call.ts";
import { endable, OpenCalls } from "./open-calls.ts";
import { NO_USAGE } from "#core/usage.ts";

function callOf(keyId: number, signal = new AbortController().signal): Call {
  return {
    id: `call-${keyId}`,
    key: { id: keyId, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: chat,
    body: {
      text: "",
      outline: { members: new Map(), repeated: new Set(), depth: 0, parts: 0 },
      json: {},
    },
    facts: {
      model: "m",
      stream: true,
      maxOutputTokens: 1,
      choices: 1,
      messages: 1,
      wantsUsage: true,
    },
    inputTokens: 1,
    header: () => undefined,
    isStrict: false,
    signal,
    at: 0,
    startedAt: 0,
    now: () => 0,
    count: async () => NO_USAGE,
  };
}

const reason = new GatewayError("unauthenticated", "The key is gone.");

test("ending the calls of a key ends all of them, with the reason, and no others", () => {
  const open = new OpenCalls();
  const calls = [1, 1, 2].map((keyId) => endable(callOf(keyId)));
  for (const call of calls) open.enter(call);

  open.endAllOf(1, reason);

  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  expect(calls[0]?.signal.reason).toBe(reason);
  expect(calls[0]?.callerSignal.aborted).toBe(false);
});

test("a call still ends if its client disconnects, before it began or later", () => {
  const caller = new AbortController();
  const running = endable(callOf(1, caller.signal));
  caller.abort();

  expect(running.signal.aborted).toBe(true);
  expect(endable(callOf(1, caller.signal)).signal.aborted).toBe(true);
});

test("a key is removed with the last of its calls", async () => {
  const open = new OpenCalls();
  const calls = [7, 7, 8].map((keyId) => endable(callOf(keyId)));
  for (const call of calls) open.enter(call);
  expect(open.keyIds).toEqual([7, 8]);

  let areNone = false;
  const none = open.whenNone().then(() => (areNone = true));
  const seen: unknown[] = [];
  for (const call of calls) {
    open.leave(call);
    await Bun.sleep(0);
    seen.push([open.keyIds, open.count, areNone]);
  }

  await none;
  expect(seen).toEqual([
    [[7, 8], 2, false],
    [[8], 1, false],
    [[], 0, true],
  ]);
});

test("waiting for the last call ends at once without calls, and starts again with each call", async () => {
  const open = new OpenCalls();
  await open.whenNone();

  for (let round = 0; round < 2; round++) {
    const call = endable(callOf(1));
    open.enter(call);
    let areNone = false;
    const none = open.whenNone().then(() => (areNone = true));
    await Bun.sleep(0);
    expect(areNone).toBe(false);

    open.leave(call);
    await none;
  }
});

import { expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { EventMeter } from "./event-meter.ts";
import type { AdaptedRoute } from "../routing/route.ts";
import { ReasoningCache } from "../translation/reasoning-cache.ts";
import { aChannel } from "#test/a-channel.ts";
import { aCall } from "#test/a-call.ts";

const ROUTE: AdaptedRoute = {
  channel: aChannel({ provider: "p" }),
  provider: { id: "p", name: "P", docs: "", needsKey: false, text: [], authorize: () => ({}) },
  adapter: { answer: async function* () {} },
  upstreamModel: "m",
  price: undefined,
  traits: {},
  suffixes: [],
};

function textOf(events: readonly ChatEvent[]): string {
  const reasoningCache = new ReasoningCache(
    { now: () => 0, monotonic: () => 0 },
    { keepMs: 1, maxLength: 1 },
  );
  const meter = new EventMeter(aCall(), ROUTE, reasoningCache);
  for (const event of events) meter.see(event);
  return meter.takeOutputText();
}

test("the output of a response is its text, its reasoning, and its calls with their arguments", () => {
  const choice = 0;
  expect(
    textOf([
      { type: "open", choice, block: { type: "reasoning" } },
      { type: "delta", choice, text: "Hm. " },
      { type: "open", choice, block: { type: "text" } },
      { type: "delta", choice, text: "Hi. " },
      {
        type: "open",
        choice,
        block: { type: "tool_call", id: "1", name: "find", kind: "function" },
      },
      { type: "delta", choice, text: "{}" },
    ]),
  ).toBe("Hm. Hi. find{}");
});

test("an image's bytes are not counted as text, and of audio only the transcript is", () => {
  expect(
    textOf([
      { type: "open", choice: 0, block: { type: "image" } },
      { type: "open", choice: 1, block: { type: "text" } },
      { type: "delta", choice: 0, text: "iVBORw0KGgo=" },
      { type: "delta", choice: 1, text: "beside it, " },
      { type: "open", choice: 0, block: { type: "audio" } },
      { type: "delta", choice: 0, text: "UklGRg==", transcript: "spoken, " },
      { type: "open", choice: 0, block: { type: "text" } },
      { type: "delta", choice: 0, text: "after it" },
    ]),
  ).toBe("beside it, spoken, after it");
});

import { expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { EventMeter } from "./event-meter.ts";
import type { Call } from "../call.ts";
import type { AdaptedRoute, Route } from "../routing/route.ts";
import { ReasoningCache } from "../translation/reasoning-cache.ts";
import { aChannel } from "#test/a-channel.ts";
import { NO_USAGE } from "#core/usage.ts";
import { chat } from "#styles/text/chat/index.ts";
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

/** The same style as the call's: the upstream's own ids and events pass. */
const SAME_STYLE: Route = { ...ROUTE, endpoint: { style: chat, path: "/" } } as never;

function openMeter(route: Route = ROUTE, call: Partial<Call> = {}): EventMeter {
  const reasoningCache = new ReasoningCache(
    { now: () => 0, monotonic: () => 0 },
    { keepMs: 1, maxLength: 1 },
  );
  return new EventMeter({ ...aCall(), ...call }, route, reasoningCache);
}

test("the end of a block, a citation and the end of the response are no text", () => {
  expect(
    textOf([
      { type: "start", id: "1", model: "m", createdAt: 1 },
      { type: "open", choice: 0, block: { type: "text" } },
      { type: "delta", choice: 0, text: "Hi." },
      { type: "close", choice: 0 },
      { type: "finish", choice: 0, reason: "stop" },
    ]),
  ).toBe("Hi.");
});

test("reasoning with a signature is kept for the next request of the conversation", () => {
  const call = aCall();
  const cache = new ReasoningCache(
    { now: () => 0, monotonic: () => 0 },
    { keepMs: 1, maxLength: 10_000 },
  );
  const meter = new EventMeter(call, SAME_STYLE, cache);
  const signature = { value: "signed", issuer: "messages" } as const;
  for (const event of [
    { type: "open", choice: 0, block: { type: "reasoning" } },
    { type: "delta", choice: 0, text: "Hm." },
    { type: "close", choice: 0, signature },
    {
      type: "open",
      choice: 0,
      block: { type: "tool_call", id: "c1", name: "find", kind: "function" },
    },
    { type: "close", choice: 0 },
  ] as const) {
    meter.see(event);
  }

  const block = {
    type: "tool_call",
    id: "c1",
    name: "find",
    arguments: "{}",
    kind: "function",
  } as const;
  const request = {
    model: "m",
    messages: [{ role: "assistant", blocks: [block] }],
    stream: false,
    sampling: {},
  } as const;
  const [message] = cache.restore(call.key, request).messages;

  expect(message?.blocks).toEqual([{ type: "reasoning", text: "Hm.", signature }, block]);
});

function textOf(events: readonly ChatEvent[]): string {
  const meter = openMeter();
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

test("output that was taken is not taken again, and the whole output still has it", async () => {
  const meter = openMeter();
  meter.see({ type: "delta", choice: 0, text: "first " });

  expect(meter.takeOutputText()).toBe("first ");
  meter.see({ type: "delta", choice: 0, text: "second" });

  expect(await meter.wholeOutput()).toEqual({ text: "first second", tokens: 0 });
  expect(meter.takeOutputText()).toBe("second");
});

test("the usage is the last one that the upstream sent", () => {
  const meter = openMeter();
  expect(meter.usage).toBeUndefined();

  meter.see({ type: "usage", usage: { ...NO_USAGE, outputTokens: 1 } });
  meter.see({ type: "usage", usage: { ...NO_USAGE, outputTokens: 2 } });
  meter.see({ type: "delta", choice: 0, text: "" });

  expect(meter.usage).toEqual({ ...NO_USAGE, outputTokens: 2 });
});

test("a start without a time or an input count gets those of the call, and no others are changed", () => {
  const call = { at: 5_000, inputTokens: 7 };
  const bare = { type: "start", id: "up", model: "m", createdAt: 0 } as const;
  const full = { ...bare, createdAt: 1, inputTokens: 9, lost: ["seed"] };
  const first = openMeter(SAME_STYLE, call);
  const second = openMeter(SAME_STYLE, call);

  expect(first.see(bare)).toEqual({ ...bare, createdAt: 5_000, inputTokens: 7 });
  expect(second.see(full)).toEqual(full);
  expect([first.lost, second.lost]).toEqual([[], ["seed"]]);
});

test("an end that the upstream did not state is reported as lost, once and beside other losses", () => {
  const meter = openMeter();
  const end = (choice: number): ChatEvent =>
    ({ type: "finish", choice, reason: "other", isUnstated: true }) as const;

  meter.see({ type: "start", id: "1", model: "m", createdAt: 1, lost: ["seed"] });
  meter.see({ type: "finish", choice: 0, reason: "stop" });
  expect(meter.lost).toEqual(["seed"]);

  meter.see(end(1));
  meter.see(end(2));
  expect(meter.lost).toEqual(["seed", "finish_reason"]);
});

test("only a translated answer gets ids of the gateway, with the prefix of the caller's style", () => {
  const start = { type: "start", id: "up", model: "m", createdAt: 1, inputTokens: 1 } as const;
  const block = { type: "tool_call", id: "up-1", name: "find", kind: "function" } as const;
  const opened = { type: "open", choice: 0, block } as const;
  const same = openMeter(SAME_STYLE);
  const other = openMeter();

  expect([same.see(start), same.see(opened)]).toEqual([start, opened]);

  const ids = [other.see(start), other.see(opened)].map((event) => {
    if (event.type === "start") return event.id;
    return event.type === "open" && event.block.type === "tool_call" ? event.block.id : "";
  });
  expect(ids[0]).toMatch(/^[0-9A-Za-z]{24}$/);
  expect(ids[1]).toMatch(new RegExp(`^${chat.callIdPrefix}[0-9A-Za-z]{24}$`));
  const text: ChatEvent = { type: "open", choice: 0, block: { type: "text" } };
  expect(other.see(text)).toEqual(text);
});

test("a finish has the upstream's time, or that of the call's clock", () => {
  const meter = openMeter(ROUTE, { now: () => 42 });
  const finish = { type: "finish", choice: 0, reason: "stop" } as const;

  expect(meter.see(finish)).toEqual({ ...finish, at: 42 });
  expect(meter.see({ ...finish, at: 7 })).toEqual({ ...finish, at: 7 });
});

const NO_CONTENT: readonly ChatEvent[] = [
  { type: "start", id: "up", model: "m", createdAt: 1 },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "open", choice: 0, block: { type: "reasoning" } },
  { type: "open", choice: 0, block: { type: "refusal" } },
  { type: "delta", choice: 0, text: "" },
  { type: "delta", choice: 0, text: "", transcript: "" },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "stop" },
  { type: "usage", usage: NO_USAGE },
];
test("heads, empty texts, ends and usage are no content", () => {
  const meter = openMeter();
  for (const event of NO_CONTENT) meter.see(event);

  expect(meter.hasContent).toBe(false);
});

test.each<ChatEvent>([
  { type: "open", choice: 0, block: { type: "tool_call", id: "1", name: "f", kind: "function" } },
  { type: "open", choice: 0, block: { type: "image" } },
  { type: "delta", choice: 0, text: "a" },
  { type: "delta", choice: 0, text: "", transcript: "a" },
  { type: "delta", choice: 0, text: "", logprobs: [] },
  { type: "close", choice: 0, signature: { style: "messages", data: "s" } as never },
  { type: "cite", choice: 0, citation: {} as never },
])("%j is content, also if an event without content follows", (event) => {
  const meter = openMeter();
  meter.see(event);
  meter.see({ type: "close", choice: 0 });

  expect(meter.hasContent).toBe(true);
});

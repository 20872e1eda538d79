import { isArray, isObject, parseJson, type JsonObject } from "#lib/json.ts";
import type { Ask, AskedTool, Caller, Seen, Turn } from "./caller.ts";
import type { Upstream } from "./upstreams.ts";

/** Sends a question and reads the answer; the status where it is not 200. */
type Send = (ask: Ask) => Promise<Seen & { readonly status: number }>;

interface CaseSetup {
  readonly caller: Caller;
  readonly stream: boolean;
  readonly upstream: Upstream;
  readonly send: Send;
}

/** Throws a sentence where the answer is not what it should be. */
type Case = (setup: CaseSetup) => Promise<void>;

const WEATHER: AskedTool = {
  name: "get_weather",
  description: "Tells the weather in a city.",
  schema: {
    type: "object",
    properties: { city: { type: "string", description: "The city." } },
    required: ["city"],
    additionalProperties: false,
  },
};

const ADDRESS: JsonObject = {
  type: "object",
  properties: { city: { type: "string" }, zip: { type: "integer" } },
  required: ["city", "zip"],
  additionalProperties: false,
};

/** Two by two pixels. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=";

export const CASES: Readonly<Record<string, Case>> = {
  async text({ send, upstream: { model }, stream }) {
    const seen = await send({ model, stream, turns: [user("Reply with exactly: pong")] });
    complete(seen, "stop");
    equal("the text", seen.text, "pong");
  },

  async tools({ send, upstream: { model }, stream }) {
    const turns = [user("What is the weather in Paris?")];
    const seen = await send({ model, stream, turns, tools: [WEATHER] });
    complete(seen, "calls");
    equal("the calls", callsOf(seen), [["get_weather", { city: "Paris" }]]);
  },

  async "parallel tools"({ send, upstream: { model }, stream }) {
    const turns = [user("What is the weather in Paris, Rome and Oslo?")];
    const seen = await send({ model, stream, turns, tools: [WEATHER] });
    complete(seen, "calls");
    equal(
      "the calls",
      callsOf(seen),
      ["Paris", "Rome", "Oslo"].map((city) => ["get_weather", { city }]),
    );
    const ids = seen.calls.map(({ id }) => id).filter((id) => id !== "");
    equal("the number of different ids", new Set(ids).size, ids.length);
  },

  async "image in"({ send, upstream: { model }, stream }) {
    const turns = [user("Describe this picture.", PICTURE)];
    const seen = await send({ model, stream, turns });
    complete(seen, "stop");
    holds("the model has seen the picture", /2 by 2 pixel PNG/.test(seen.text), seen.text);
  },

  async "structured output"({ send, upstream: { model }, stream }) {
    const turns = [user("Where is the post office?")];
    const seen = await send({ model, stream, turns, schema: ADDRESS });
    complete(seen, "stop");
    const json = parseJson(seen.text);
    const fits =
      isObject(json) && typeof json["city"] === "string" && Number.isInteger(json["zip"]);
    holds("the answer has the asked form", fits, seen.text);
  },

  async reasoning({ send, caller, upstream, stream }) {
    const model = upstream.thinker;
    const turns = [user("Reply with exactly: pong")];
    const seen = await send({ model, stream, turns, thinks: true });
    complete(seen, "stop");
    equal("the text", seen.text, "pong");
    const isShown = upstream.showsUnasked || caller.asksToSee;
    if (isShown && (stream || caller.showsReasoningWhole)) {
      holds("the reasoning is shown", seen.reasoning !== "", seen.reasoning);
    }
  },

  async "tool loop"({ send, upstream: { thinker: model }, stream }) {
    const turns: Turn[] = [user("What is the weather in Paris, Rome and Oslo?")];
    const first = await send({ model, stream, turns, tools: [WEATHER], thinks: true });
    complete(first, "calls");
    turns.push({ role: "assistant", own: first.own });
    turns.push({
      role: "tool",
      results: first.calls.map((call) => ({
        call,
        text: `Sunny, ${String(call.id.length)} degrees.`,
      })),
    });
    const second = await send({ model, stream, turns, tools: [WEATHER], thinks: true });
    complete(second, "stop");
    holds("the answer tells the results", second.text.includes("Sunny"), second.text);

    turns.push({ role: "assistant", own: second.own }, user("And what is the weather in Bern?"));
    const third = await send({ model, stream, turns, tools: [WEATHER], thinks: true });
    complete(third, "calls");
    equal("the calls", callsOf(third), [["get_weather", { city: "Bern" }]]);
  },

  async "stop by length"({ send, upstream: { model }, stream }) {
    const turns = [user("Count from 1 to 500.")];
    const seen = await send({ model, stream, turns, maxTokens: 300 });
    complete(seen, "length");
    holds("there is some text", seen.text !== "", seen.text);
  },

  async "error before"({ send, upstream: { model }, stream }) {
    const turns = [user("hi [[fault:status code=400 message=Nonsense]]")];
    const seen = await send({ model, stream, turns });
    equal("the status", seen.status, 400);
    holds("the error is in the caller's style", seen.error !== undefined, String(seen.error));
  },

  async "error during"({ send, upstream: { model }, stream }) {
    const fault = stream ? "[[fault:streamerror after=12]]" : "[[fault:truncate events=2]]";
    const seen = await send({ model, stream, turns: [user(`Count from 1 to 50. ${fault}`)] });
    equal("the status", seen.status, stream ? 200 : 502);
    holds("the error is in the caller's style", seen.error !== undefined, String(seen.error));
    if (stream) equal("the finish", seen.finish, "none");
  },
};

function user(text: string, imageBase64?: string): Turn {
  return imageBase64 === undefined ? { role: "user", text } : { role: "user", text, imageBase64 };
}

function complete(seen: Seen & { status: number }, finish: Seen["finish"]): void {
  equal("the error", seen.error, undefined);
  equal("the status", seen.status, 200);
  equal("what a client would trip over", seen.faults, []);
  equal("the finish", seen.finish, finish);
  const { input = 0, output = 0 } = seen.usage ?? {};
  holds("usage is told", input > 0 && output > 0, JSON.stringify(seen.usage));
}

function callsOf({ calls }: Seen): unknown {
  return calls.map(({ name, args }) => [name, args]);
}

function equal(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(sorted(actual)) === JSON.stringify(sorted(expected))) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

function holds(what: string, isSo: boolean, shown: string): void {
  if (!isSo) throw new Error(`${what}: no (${shown.slice(0, 200)})`);
}

/** The order of an object's members means nothing. */
function sorted(value: unknown): unknown {
  if (isArray(value as never)) return (value as readonly unknown[]).map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

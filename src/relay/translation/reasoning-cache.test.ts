import { describe, expect, test } from "bun:test";
import type { Block, ChatEvent, ChatRequest } from "#core/chat.ts";
import type { ApiKey } from "#core/key.ts";
import type { SharedReasoning } from "#core/shared-reasoning.ts";
import type { Signature } from "#core/signature.ts";
import { ReasoningCache } from "./reasoning-cache.ts";

const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] };
const SIGNATURE = { issuer: "messages", value: "proof" };

function open(now = { ms: 0 }, maxLength = 1_000): ReasoningCache {
  const clock = { now: () => now.ms, monotonic: () => now.ms };
  return new ReasoningCache(clock, { keepMs: 100, maxLength });
}

/** An answer that thinks, then calls a tool. */
function answer(reasoningCache: ReasoningCache, callId = "c1", text = "why", key = KEY): void {
  see(reasoningCache, [...thinking(text), ...signed(callId)], key);
}

function see(reasoningCache: ReasoningCache, events: readonly ChatEvent[], key = KEY): void {
  const recorder = reasoningCache.recorder(key);
  for (const event of events) recorder.see(event);
}

function thinking(text: string): readonly ChatEvent[] {
  return [
    { type: "open", choice: 0, block: { type: "reasoning" } },
    { type: "delta", choice: 0, text },
    { type: "close", choice: 0, signature: SIGNATURE },
  ];
}

function saying(text: string): readonly ChatEvent[] {
  return [
    { type: "open", choice: 0, block: { type: "text" } },
    { type: "delta", choice: 0, text },
    { type: "close", choice: 0 },
  ];
}

const OF_THE_CALL = { issuer: "gemini", value: "of the call" };

function calling(callId: string, signature?: Signature): readonly ChatEvent[] {
  return [
    {
      type: "open",
      choice: 0,
      block: { type: "tool_call", id: callId, name: "f", kind: "function" },
    },
    { type: "close", choice: 0, ...(signature === undefined ? {} : { signature }) },
  ];
}

const signed = (callId: string): readonly ChatEvent[] => calling(callId, OF_THE_CALL);

const call = (id = "c1"): Block => ({
  type: "tool_call",
  id,
  name: "f",
  arguments: "{}",
  kind: "function",
});

function restored(
  reasoningCache: ReasoningCache,
  blocks: readonly Block[],
  key = KEY,
): readonly Block[] {
  const request: ChatRequest = {
    model: "m",
    messages: [{ role: "assistant", blocks }],
    stream: false,
    sampling: {},
  };
  return reasoningCache.restore(key, request).messages[0]?.blocks ?? [];
}

const THOUGHT: Block = { type: "reasoning", text: "why", signature: SIGNATURE };
const SIGNED: Block = { ...call(), signature: OF_THE_CALL } as Block;

describe("reasoning that a client cannot carry", () => {
  test("is restored before its tool call", () => {
    const reasoningCache = open();
    see(reasoningCache, [...saying("Well."), ...thinking("why"), ...signed("c1")]);

    expect(restored(reasoningCache, [{ type: "text", text: "Well." }, call()])).toEqual([
      { type: "text", text: "Well." },
      THOUGHT,
      SIGNED,
    ]);
  });

  test("is restored before its text", () => {
    const reasoningCache = open();
    const later: Block = { ...THOUGHT, text: "and so" } as Block;
    see(reasoningCache, [
      ...thinking("why"),
      ...saying("Well."),
      ...thinking("and so"),
      ...signed("c1"),
      ...signed("c2"),
    ]);

    expect(restored(reasoningCache, [{ type: "text", text: "Well." }, call(), call("c2")])).toEqual(
      [THOUGHT, { type: "text", text: "Well." }, later, SIGNED, { ...SIGNED, id: "c2" } as Block],
    );
  });

  test("replaces the part that the client got", () => {
    const reasoningCache = open();
    answer(reasoningCache);

    expect(restored(reasoningCache, [{ type: "reasoning", text: "why" }, call()])).toEqual([
      THOUGHT,
      SIGNED,
    ]);
  });

  test("is omitted in a turn whose client carries signatures itself", () => {
    const reasoningCache = open();
    answer(reasoningCache);
    const own: Block[] = [
      { type: "reasoning", text: "other", signature: { issuer: "messages", value: "own" } },
      call(),
    ];

    expect(restored(reasoningCache, own)).toEqual(own);
  });

  test("belongs to its owner only", () => {
    const reasoningCache = open();
    answer(reasoningCache);

    expect(restored(reasoningCache, [call()], { ...KEY, userId: 2 })).toEqual([call()]);
    expect(restored(reasoningCache, [call("c2")])).toEqual([call("c2")]);
  });

  test("is restored for another key of the same owner", () => {
    const reasoningCache = open();
    answer(reasoningCache);

    expect(restored(reasoningCache, [call()], { ...KEY, id: 9 })).toEqual([THOUGHT, SIGNED]);
  });

  test("is removed after its time", () => {
    const now = { ms: 0 };
    const reasoningCache = open(now);
    answer(reasoningCache);
    now.ms = 99;
    expect(restored(reasoningCache, [call()])).toEqual([THOUGHT, SIGNED]);
    now.ms = 100;
    expect(restored(reasoningCache, [call()])).toEqual([call()]);
  });

  test("has a size limit, above which the oldest is removed", () => {
    const reasoningCache = open({ ms: 0 }, 120);
    for (const id of ["c1", "c2", "c3"]) answer(reasoningCache, id, "x".repeat(30));

    expect(restored(reasoningCache, [call("c1")])).toEqual([call("c1")]);
    expect(restored(reasoningCache, [call("c3")])).toHaveLength(2);
  });

  test("may fill the size limit", () => {
    const reasoningCache = open({ ms: 0 }, 2 * LENGTH_OF_ANSWER);
    for (const id of ["c1", "c2"]) answer(reasoningCache, id);

    for (const id of ["c1", "c2"]) expect(restored(reasoningCache, [call(id)])).toHaveLength(2);
  });

  test("counts once towards the limit if its call is answered again, and is then the newest", () => {
    const reasoningCache = open({ ms: 0 }, 2 * LENGTH_OF_ANSWER);
    for (const id of ["c1", "c2", "c1"]) answer(reasoningCache, id);
    for (const id of ["c1", "c2"]) expect(restored(reasoningCache, [call(id)])).toHaveLength(2);

    answer(reasoningCache, "c3");
    expect(restored(reasoningCache, [call("c1")])).toHaveLength(2);
    expect(restored(reasoningCache, [call("c2")])).toEqual([call("c2")]);
  });

  test("is restored before a call without its own signature", () => {
    const reasoningCache = open();
    see(reasoningCache, [...thinking("why"), ...calling("c1")]);

    expect(restored(reasoningCache, [call()])).toEqual([THOUGHT, call()]);
  });

  test("is restored between two calls if it came between them", () => {
    const reasoningCache = open();
    see(reasoningCache, [
      ...thinking("why"),
      ...signed("c1"),
      ...thinking("and so"),
      ...signed("c2"),
    ]);

    expect(restored(reasoningCache, [call(), call("c2")])).toEqual([
      THOUGHT,
      SIGNED,
      { ...THOUGHT, text: "and so" } as Block,
      { ...SIGNED, id: "c2" } as Block,
    ]);
  });

  test("counts as before any text if only an empty text was before it", () => {
    const reasoningCache = open();
    see(reasoningCache, [...saying(""), ...thinking("why"), ...saying("Well."), ...signed("c1")]);

    expect(restored(reasoningCache, [{ type: "text", text: "Well." }, call()])).toEqual([
      THOUGHT,
      { type: "text", text: "Well." },
      SIGNED,
    ]);
  });

  test("is restored with the members that its vendor added", () => {
    const reasoningCache = open();
    const extra = { messages: { data: "sealed" } };
    const events = thinking("why").map((event) =>
      event.type === "close" ? { ...event, extra } : event,
    );
    see(reasoningCache, [...events, ...signed("c1")]);

    expect(restored(reasoningCache, [call()])).toEqual([{ ...THOUGHT, extra } as Block, SIGNED]);
    const plain = open();
    answer(plain);
    expect(Object.keys(restored(plain, [call()])[0] ?? {})).not.toContain("extra");
  });

  test("is restored only if its vendor signed it", () => {
    const reasoningCache = open();
    const events = thinking("why").map((event) =>
      event.type === "close" ? ({ type: "close", choice: 0 } as const) : event,
    );
    see(reasoningCache, [...events, ...signed("c1")]);

    expect(restored(reasoningCache, [call()])).toEqual([SIGNED]);
  });

  test("leaves unsigned reasoning of the request if only the call was signed", () => {
    const reasoningCache = open();
    see(reasoningCache, signed("c1"));
    const shown: Block = { type: "reasoning", text: "why" };

    expect(restored(reasoningCache, [shown, call()])).toEqual([shown, SIGNED]);
  });

  test("leaves an unknown call unchanged, beside a known one", () => {
    const reasoningCache = open();
    answer(reasoningCache);

    expect(restored(reasoningCache, [call(), call("c2")])).toEqual([THOUGHT, SIGNED, call("c2")]);
  });

  test("is of the first choice, if several were requested", () => {
    const reasoningCache = open();
    const other = [...thinking("other"), ...signed("c2")].map(
      (event) => ({ ...event, choice: 1 }) as ChatEvent,
    );
    see(reasoningCache, [START, ...other, ...thinking("why"), ...signed("c1")]);

    expect(restored(reasoningCache, [call()])).toEqual([THOUGHT, SIGNED]);
    expect(restored(reasoningCache, [call("c2")])).toEqual([call("c2")]);
  });
});

/** Of a call `c1`: its name with its owner, two signatures and a word. */
const LENGTH_OF_ANSWER = "1 c1".length + "of the call".length + "proof".length + "why".length;
const START: ChatEvent = { type: "start", id: "1", model: "m", createdAt: 1 };

test("a request without stored reasoning stays the same object", () => {
  const request: ChatRequest = {
    model: "m",
    messages: [{ role: "assistant", blocks: [call()] }],
    stream: false,
    sampling: {},
  };
  const reasoningCache = open();
  expect(reasoningCache.restore(KEY, request)).toBe(request);
  answer(reasoningCache, "other");
  expect(reasoningCache.restore(KEY, request)).toBe(request);
  see(reasoningCache, calling("c1"));
  expect(reasoningCache.restore(KEY, request)).toBe(request);
});

describe("gateways that share reasoning", () => {
  test("restore the reasoning that another gateway cached, for the same user alone", async () => {
    const shared = openShared();
    const [one, two] = [sharing(shared), sharing(shared)];
    answer(one);

    await two.load(KEY, asked([call()]));
    expect(restored(two, [call()])).toEqual([THOUGHT, SIGNED]);
    const stranger = { ...KEY, userId: 2 };
    await two.load(stranger, asked([call()]));
    expect(restored(two, [call()], stranger)).toEqual([call()]);
  });

  test("ask once a minute for each tool call, and never for those that they know", async () => {
    const now = { ms: 0 };
    const shared = openShared();
    const one = sharing(shared, now);
    see(one, calling("plain"));
    answer(one, "c1");

    expect(one.load(KEY, asked([call("plain"), call("c1")]))).toBeUndefined();
    await one.load(KEY, asked([call("strange")]));
    expect(one.load(KEY, asked([call("strange")]))).toBeUndefined();
    now.ms += 60_001;
    await one.load(KEY, asked([call("strange")]));
    expect(shared.asked).toEqual([["1 strange"], ["1 strange"]]);
  });

  test("ask for nothing if the client sent signatures, or there are no tool calls", () => {
    const one = sharing(openShared());

    expect(one.load(KEY, asked([THOUGHT, call()]))).toBeUndefined();
    expect(one.load(KEY, asked([{ type: "text", text: "hi" }]))).toBeUndefined();
  });

  test("use their own reasoning while the store is unreachable, and ask it again later", async () => {
    const shared = openShared();
    const [one, two] = [sharing(shared), sharing(shared)];
    answer(one);
    shared.isAway = true;
    await two.load(KEY, asked([call()]));
    expect(restored(two, [call()])).toEqual([call()]);

    shared.isAway = false;
    await two.load(KEY, asked([call()]));
    expect(restored(two, [call()])).toEqual([THOUGHT, SIGNED]);
  });

  test("forget it when its first gateway would", async () => {
    const now = { ms: 0 };
    const shared = openShared();
    answer(sharing(shared, now));
    const two = sharing(shared, now);
    shared.leftMs = 30;
    await two.load(KEY, asked([call()]));

    now.ms += 31;
    expect(restored(two, [call()])).toEqual([call()]);
  });

  test("ignore entries of another form", async () => {
    const shared = openShared();
    shared.keep("1 c1", '{"leading":1}', 100);
    const one = sharing(shared);
    await one.load(KEY, asked([call()]));

    expect(restored(one, [call()])).toEqual([call()]);
  });
});

function openShared() {
  const texts = new Map<string, string>();
  return {
    asked: [] as (readonly string[])[],
    isAway: false,
    leftMs: 100,
    async find(names: readonly string[]) {
      if (this.isAway) return undefined;
      this.asked.push(names);
      return names.flatMap((name) => {
        const text = texts.get(name);
        return text === undefined ? [] : [{ name, text, leftMs: this.leftMs }];
      });
    },
    keep: (name: string, text: string, _keepMs: number) => void texts.set(name, text),
  };
}

function sharing(shared: SharedReasoning, now = { ms: 0 }): ReasoningCache {
  const clock = { now: () => now.ms, monotonic: () => now.ms };
  return new ReasoningCache(clock, { keepMs: 100, maxLength: 1_000, shared });
}

function asked(blocks: readonly Block[]): ChatRequest {
  return { model: "m", messages: [{ role: "assistant", blocks }], stream: false, sampling: {} };
}

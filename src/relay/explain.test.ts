import type { RateLimiter } from "#core/limits.ts";
import { describe, expect, test } from "bun:test";
import type { AccountId, Budget } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import type { Refusal } from "#core/limits.ts";
import { nanoUsd, type Price } from "#core/money.ts";
import { outlineJson, type JsonObject } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { aCall } from "#test/a-call.ts";
import { aChannel } from "#test/a-channel.ts";
import type { Call } from "./call.ts";
import { explain } from "./explain.ts";
import { Health } from "./failover/health.ts";
import { Router, type Candidate } from "./routing/route.ts";
import { ReasoningCache } from "./translation/reasoning-cache.ts";

const CLOCK = { now: () => 0, monotonic: () => 0 };
/** A microdollar for each token of an answer. */
const PRICE: Price = { input: 0, output: 1_000_000_000, source: "test", date: "2026-01-01" };

const LIMITED: Refusal = {
  by: "requests",
  bound: { id: "user:1", limits: { requestsPerMinute: 1 }, tokens: 1 },
  retryAfterMs: 1_000,
};

const BEDROCK = aChannel({
  provider: "bedrock",
  baseUrl: "",
  options: { region: "eu-central-1" },
});

/** A call whose text is that of its fields. */
function callWith(fields: JsonObject = {}): Call {
  const call = aCall(fields);
  const text = JSON.stringify(call.body.json);
  return { ...call, body: { ...call.body, text, outline: outlineJson(text, 64) } };
}

function candidateOn(name: string, more: Partial<Candidate> = {}, provider = "openai"): Candidate {
  const found = findProvider(provider);
  if (found === undefined) throw new Error("A provider was expected.");
  return {
    channel: aChannel({ name, provider }),
    provider: found,
    upstreamModel: "upstream-m",
    price: PRICE,
    traits: {},
    suffixes: [],
    ...more,
  };
}

interface Given {
  readonly candidates?: readonly Candidate[];
  readonly call?: Call;
  readonly accounts?: Readonly<Record<string, Partial<Account>>>;
  readonly maxAttempts?: number;
  /** Models that channels of this name do not serve now. */
  readonly disabled?: readonly string[];
  /** A limit of the caller that is reached. */
  readonly limited?: Refusal;
}

const NO_LIMITS: RateLimiter = {
  take: () => ({ statuses: [] }),
  correct() {},
  release() {},
  peek: () => ({ statuses: [] }),
};

async function explained({
  candidates = [candidateOn("one")],
  call = callWith({ max_tokens: 10 }),
  accounts = {},
  maxAttempts = 3,
  disabled = [],
  limited: refusal,
}: Given = {}) {
  const health = new Health(CLOCK);
  health.setDisabled(new Set(disabled));
  const table = {
    find: (model: string) => (model === "m" ? candidates : undefined),
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits: false,
  };
  const looked: AccountId[] = [];
  const result = await explain(call, {
    router: new Router(table, health, { unpriced: undefined, assumedOutputTokens: 100 }),
    reasoningCache: new ReasoningCache(CLOCK, { keepMs: 1, maxLength: 1 }),
    ledger: {
      async findAccount(id) {
        looked.push(id);
        const nothing = { granted: null, spent: nanoUsd(0), held: nanoUsd(0) };
        const found = accounts[id] ?? (id === "user:1" ? {} : undefined);
        return found && { id, ...nothing, ...found };
      },
    },
    rates: {
      limiter: {
        ...NO_LIMITS,
        peek: () => (refusal === undefined ? { statuses: [] } : { statuses: [], refusal }),
      },
      userLimits: refusal === undefined ? undefined : { requestsPerMinute: 1 },
    },
    maxAttempts,
  });
  return { ...result, looked, first: result.channels[0] };
}

function bodyOf(body: string | undefined): JsonObject {
  return JSON.parse(body ?? "{}") as JsonObject;
}

describe("an explanation shows the request", () => {
  test("that is passed through in the client's style", async () => {
    const { first, refusal, links } = await explained();

    expect([first?.objection, first?.refusal, refusal, links]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
    expect(first?.request).toMatchObject({
      way: "passed_through",
      style: "chat",
      path: "/chat/completions",
      lost: [],
    });
    expect(first?.request).not.toHaveProperty("styleReason");
    expect(first?.request?.body).not.toContain("system prompt");
    expect(bodyOf(first?.request?.body)).toMatchObject({ model: "upstream-m" });
  });

  test("that is translated to the style of the vendor, with its losses", async () => {
    const { first } = await explained({
      candidates: [candidateOn("one", {}, "anthropic")],
      call: aCall({ seed: 1, max_tokens: 10 }),
    });

    expect(first?.request).toMatchObject({
      way: "translated",
      style: "messages",
      path: "/messages",
      lost: ["seed"],
    });
    expect(bodyOf(first?.request?.body)["messages"]).toEqual([{ role: "user", content: "Hello." }]);
  });

  test("in a style that the model needs, with the reason", async () => {
    const traits = { rules: { needsStyle: { any: "responses" } } };

    const { first } = await explained({ candidates: [candidateOn("one", { traits })] });

    expect(first?.request?.style).toBe("responses");
    expect(first?.request?.styleReason).toBe(
      "This model takes calls in the responses style only. The call is sent in it, whatever the caller's style.",
    );
  });

  test("that an adapter would send, without a style", async () => {
    const { first } = await explained({
      candidates: [candidateOn("one", { channel: BEDROCK }, "bedrock")],
    });

    expect(first?.request).toMatchObject({ way: "adapted", style: undefined, path: undefined });
    expect(bodyOf(first?.request?.body)["messages"]).toBeDefined();
  });

  test("with a placeholder for the channel's own system prompt", async () => {
    const systemPrompt = "A secret of the owner.";
    const channel = aChannel({ name: "one", systemPrompt });

    const { first } = await explained({ candidates: [candidateOn("one", { channel })] });

    expect(first?.request?.body).toContain("[system prompt of the channel]");
    expect(first?.request?.body).not.toContain(systemPrompt);
  });
});

describe("an explanation lists channels", () => {
  test("in the order of attempts, and requests only for those that would be asked", async () => {
    const { channels } = await explained({
      candidates: ["one", "two", "three"].map((name, priority) =>
        candidateOn(name, { channel: aChannel({ name, priority: -priority }) }),
      ),
      maxAttempts: 1,
      disabled: ["one"],
    });

    expect(channels.map(({ request }) => request !== undefined)).toContain(true);
    expect(channels.filter(({ request }) => request !== undefined)).toHaveLength(1);
    const disabled = channels.find(({ route }) => route.channel.name === "one");
    expect(disabled?.objection).toBeDefined();
    expect(disabled).not.toHaveProperty("request");
  });

  test("and the links that a call would download, once each", async () => {
    const image = (url: string) => ({ type: "image_url", image_url: { url } });
    const content = ["https://a.test/1.png", "https://a.test/2.png", "https://a.test/1.png"].map(
      image,
    );

    const { links } = await explained({
      candidates: [candidateOn("one", {}, "gemini"), candidateOn("two", {}, "gemini")],
      call: aCall({ messages: [{ role: "user", content }] }),
    });

    expect(links).toEqual(["https://a.test/1.png", "https://a.test/2.png"]);
  });
});

describe("an explanation has the refusal", () => {
  test("of an unknown model, with nothing else", async () => {
    const { channels, estimate, refusal, links } = await explained({
      call: aCall({ model: "unknown" }),
    });

    expect(refusal?.code).toBe("model_not_found");
    expect([channels, estimate, links]).toEqual([[], undefined, []]);
  });

  test("of a rate limit before every other one, beside the channels", async () => {
    const refused = await explained({
      limited: LIMITED,
      accounts: { "user:1": { granted: nanoUsd(1) } },
    });
    const unknown = await explained({ limited: LIMITED, call: callWith({ model: "unknown" }) });

    expect([refused.refusal?.code, refused.channels.length]).toEqual(["rate_limited", 1]);
    expect([unknown.refusal?.code, unknown.channels.length]).toEqual(["rate_limited", 0]);
  });

  test("of a request that cannot be written for the first channel", async () => {
    const call = { ...aCall({ n: 2, max_tokens: 5 }), isStrict: true };

    const { first, refusal } = await explained({
      candidates: [candidateOn("one", {}, "anthropic")],
      call,
    });

    expect(first?.request).toBeUndefined();
    expect(first?.refusal?.code).toBeDefined();
    expect(refusal).toBe(first?.refusal as never);
  });

  test("of an account that does not cover the call", async () => {
    const granted = nanoUsd(1);

    const { refusal, estimate, account } = await explained({ accounts: { "user:1": { granted } } });

    expect(refusal?.code).toBe("out_of_quota");
    expect(estimate).toEqual({ outputTokens: 10, cost: nanoUsd(10_000_000) });
    expect(account).toBeUndefined();
  });

  test("of a budget that no call has opened yet", async () => {
    const budget: Budget = { owner: "team:3", period: "day", amount: nanoUsd(1) };
    const call = aCall({ max_tokens: 10 });
    const bounded = { ...call, key: { ...call.key, budgets: [budget] } };

    expect((await explained({ call: bounded })).refusal?.message).toStartWith("Budget exceeded");
    const opened = { "team:3@1970-01-01": { granted: nanoUsd(1_000_000_000) } };
    expect((await explained({ call: bounded, accounts: opened })).refusal).toBeUndefined();
  });

  test("of models without a price, if a quota binds the call", async () => {
    const { channels, refusal } = await explained({
      candidates: [candidateOn("one", { price: undefined })],
      accounts: { "user:1": { granted: nanoUsd(1_000_000_000) } },
    });

    expect(channels.map(({ objection }) => objection)).toEqual(["unpriced"]);
    expect(refusal?.code).toBe("forbidden");
  });
});

test("the amount is estimated from the largest answer of all channels", async () => {
  const { estimate } = await explained({
    candidates: [
      candidateOn("one", { traits: { maxOutputTokens: 50 } }),
      candidateOn("two", { traits: { maxOutputTokens: 70 } }),
    ],
    call: aCall(),
  });

  expect(estimate).toEqual({ outputTokens: 70, cost: nanoUsd(70_000_000) });
});

test("a key with a quota sees its own account, and not that of its user", async () => {
  const call = aCall({ max_tokens: 1 });
  const key = { ...call.key, accounts: ["user:1", "key:1"] as const };
  const accounts = { "key:1": { granted: nanoUsd(1_000_000_000) } };

  expect((await explained({ call: { ...call, key }, accounts })).account?.id).toBe("key:1");
  expect((await explained({ call, accounts: { "user:1": {} } })).account).toBeUndefined();
});

test("a call in another style is explained as well", async () => {
  const json = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hello." }] };
  const call: Call = {
    ...aCall(json),
    style: messages,
    facts: messages.inbound.readRequest(json, {}),
  };

  expect((await explained({ call })).first?.request?.way).toBe("translated");
});

import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { Claim, Limited, RateLimits, Standing, Verdict } from "#core/limits.ts";
import { systemClock } from "#lib/clock.ts";
import { isObject, outlineJson, parseJson } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import type { Call } from "./call.ts";
import { claimFor } from "./claims.ts";
import { Health } from "./health.ts";
import { Router, type Candidate } from "./route.ts";

const KEY: ApiKey = { id: 1, userId: 7, name: "k", status: 1, models: ["*"], accounts: ["user:7"] };
const BODY = '{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"hi"}]}';

function setup(
  more: {
    readonly limits?: RateLimits;
    readonly userLimits?: RateLimits;
    readonly model?: Limited;
    readonly verdict?: Verdict;
    readonly body?: string;
    readonly key?: Partial<ApiKey>;
  } = {},
) {
  const taken: Claim[] = [];
  const told: Standing[] = [];
  const candidates: Pick<Candidate, "traits" | "limited">[] = [
    { traits: { maxOutputTokens: 30 }, ...(more.model && { limited: more.model }) },
  ];
  const table = { find: () => candidates as Candidate[], hasLimits: more.model !== undefined };
  const router = new Router(table, new Health(systemClock), {
    unpriced: "allow",
    assumedOutputTokens: 500,
  });
  const limiter = {
    take(claim: Claim): Verdict {
      taken.push(claim);
      return more.verdict ?? { standings: claim.bounds.map(() => ({})) };
    },
    correct: () => {},
    release: () => {},
  };
  const text = more.body ?? BODY;
  const parsed = parseJson(text);
  const json = isObject(parsed) ? parsed : {};
  const call: Call = {
    id: "call",
    key: { ...KEY, ...(more.limits && { limits: more.limits }), ...more.key },
    style: chat,
    body: { text, outline: outlineJson(text, 64), json },
    facts: chat.inbound.readRequest(json, {}),
    inputTokens: 10,
    header: () => undefined,
    isStrict: false,
    signal: new AbortController().signal,
    at: 0,
    startedAt: 0,
    onStanding: (standing) => void told.push(standing),
  };
  const { userLimits } = more;
  return { taken, told, claim: () => claimFor(call, { limiter, router, userLimits }) };
}

const RPM = { requestsPerMinute: 5 };
const TPM = { tokensPerMinute: 1_000 };

describe("what a call claims", () => {
  test("is nothing, and costs no turn of the loop, where nobody has limits", () => {
    const { claim, taken, told } = setup();

    expect(claim()).toBeUndefined();
    expect([taken, told]).toEqual([[], []]);
  });

  test("is of its key, its user and its model, each with what it reserves there", async () => {
    const { claim, taken } = setup({
      limits: TPM,
      userLimits: RPM,
      model: { id: "model:m", limits: TPM },
    });
    await claim();

    // Thirty is the most that the model writes.
    expect(taken).toEqual([
      {
        id: "call",
        bounds: [
          { id: "key:1", limits: TPM, tokens: 40 },
          { id: "user:7", limits: RPM, tokens: 0 },
          { id: "model:m", limits: TPM, tokens: 40 },
        ],
      },
    ]);
  });

  test("is nothing of a model that its key may not use", () => {
    const { claim } = setup({ model: { id: "model:m", limits: RPM }, key: { models: ["other"] } });

    expect(claim()).toBeUndefined();
  });

  test("counts every answer that it asks for", async () => {
    const body = BODY.replace('"max_tokens":50', '"max_tokens":20,"n":3');
    const { claim, taken } = setup({ limits: TPM, body });
    await claim();

    expect(taken[0]?.bounds[0]?.tokens).toBe(70);
  });
});

test("a caller is told of the scarcest of its own limits, and nothing of the model's", async () => {
  const left = (remaining: number) => ({ requests: { limit: 9, remaining, resetMs: 1 } });
  const { claim, told } = setup({
    limits: RPM,
    userLimits: RPM,
    model: { id: "model:m", limits: RPM },
    verdict: { standings: [left(5), left(3), left(1)] },
  });
  await claim();

  expect(told).toEqual([left(3)]);
});

test.each([
  ["key:1", "requests", 20_000, "This API key is at its limit of 5 requests a minute."],
  ["user:7", "tokens", 20_000, "This account is at its limit of 1000 tokens a minute."],
  ["model:m", "requests", 20_000, "This model is at its limit of 5 requests a minute."],
  ["key:1", "concurrency", 1_000, "This API key is at its limit of 2 calls at once."],
] as const)("whoever is over the limit of %s by %s is told so", async (id, by, wait, message) => {
  const bound = { id, limits: { ...RPM, ...TPM, concurrency: 2 }, tokens: 40 };
  const refusal = { by, bound, retryAfterMs: wait };
  const { claim, told } = setup({ limits: RPM, verdict: { refusal, standings: [{}] } });

  const error: unknown = await Promise.resolve(claim()).catch((cause: unknown) => cause);

  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ code: "rate_limited", message, retryAfterMs: wait });
  expect(told).toHaveLength(1);
});

import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import type { ApiKey } from "#core/key.ts";
import type {
  RateReservation,
  Limited,
  RateLimits,
  RateLimitStatus,
  Verdict,
} from "#core/limits.ts";
import { systemClock } from "#lib/clock.ts";
import { isObject, outlineJson, parseJson } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import { chat } from "#styles/text/chat/index.ts";
import { aChannel } from "#test/a-channel.ts";
import type { Call } from "../call.ts";
import {
  callerLimits,
  reserveForCaller,
  reserveOnChannel,
  countRequest,
  release,
} from "./rate-reservations.ts";
import { Health } from "../failover/health.ts";
import { Router, type Candidate } from "../routing/route.ts";
import { NO_USAGE } from "#core/usage.ts";

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
    /** The limiter decides in another process. */
    readonly isRemote?: boolean;
  } = {},
) {
  const taken: RateReservation[] = [];
  const told: RateLimitStatus[] = [];
  const candidates: Pick<Candidate, "traits" | "limited">[] = [
    { traits: { maxOutputTokens: 30 }, ...(more.model && { limited: more.model }) },
  ];
  const table = {
    find: () => candidates as Candidate[],
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits: more.model !== undefined,
  };
  const router = new Router(table, new Health(systemClock), {
    unpriced: "allow",
    assumedOutputTokens: 500,
  });
  const limiter = {
    take(reservation: RateReservation): Verdict | Promise<Verdict> {
      taken.push(reservation);
      const verdict = more.verdict ?? { statuses: reservation.bounds.map(() => ({})) };
      return more.isRemote === true ? Promise.resolve(verdict) : verdict;
    },
    correct: () => {},
    release: () => {},
    peek: () => ({ statuses: [] }),
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
    now: () => 0,
    count: async () => NO_USAGE,
    onStanding: (status) => void told.push(status),
  };
  const { userLimits } = more;
  const deps = { limiter, router, userLimits };
  const onChannel = (limits?: RateLimits) => {
    const provider = findProvider("openai");
    if (provider === undefined) throw new Error("A provider was expected.");
    const channel = aChannel({ name: "a", ...(limits && { limits }) });
    const traits = { maxOutputTokens: 30 };
    const route = { channel, provider, upstreamModel: "m", price: undefined, traits, suffixes: [] };
    return reserveOnChannel(route, call, deps);
  };
  return { taken, told, claim: () => reserveForCaller(call, deps), onChannel };
}

async function errorOf(reservation: () => unknown): Promise<unknown> {
  try {
    await reservation();
    return undefined;
  } catch (cause) {
    return cause;
  }
}

const GROUP: Group = { id: 3, name: "g", priceFactor: 1_000, prices: new Map(), createdAt: 0 };
const RPM = { requestsPerMinute: 5 };
const TPM = { tokensPerMinute: 1_000 };

describe("the reservation of a call", () => {
  test("is empty and synchronous if there are no limits", () => {
    const { claim: reservation, taken, told } = setup();

    expect(reservation()).toBeUndefined();
    expect([taken, told]).toEqual([[], []]);
  });

  test("is on its key, its user and its model, with the amount for each", async () => {
    const { claim: reservation, taken } = setup({
      limits: TPM,
      userLimits: RPM,
      model: { id: "model:m", limits: TPM },
    });
    await reservation();

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

  test("has nothing for a model that its key may not use", () => {
    const { claim: reservation } = setup({
      model: { id: "model:m", limits: RPM },
      key: { models: ["other"] },
    });

    expect(reservation()).toBeUndefined();
  });

  test("is on its user's group: on the shared limits, and on those per user", async () => {
    const group: Group = {
      id: 3,
      name: "g",
      priceFactor: 1_000,
      prices: new Map(),
      limits: { requestsPerMinute: 9 },
      sharedLimits: TPM,
      createdAt: 0,
    };
    const { claim: reservation, taken } = setup({
      userLimits: { ...RPM, concurrency: 2 },
      key: { group },
    });
    await reservation();

    expect(taken[0]?.bounds).toEqual([
      { id: "user:7", limits: { requestsPerMinute: 9, concurrency: 2 }, tokens: 0 },
      { id: "group:3", limits: TPM, tokens: 40 },
    ]);
  });

  test("is on its user alone if nothing else has limits", async () => {
    const { claim: reservation, taken } = setup({ userLimits: RPM });
    await reservation();

    expect(taken[0]?.bounds).toEqual([{ id: "user:7", limits: RPM, tokens: 0 }]);
  });

  test("is on its user's group alone if only the group as a whole has limits", async () => {
    const { claim: reservation, taken } = setup({
      key: { group: { ...GROUP, sharedLimits: RPM } },
    });
    await reservation();

    expect(taken[0]?.bounds).toEqual([{ id: "group:3", limits: RPM, tokens: 0 }]);
  });

  test("is on the channel of an attempt, if that has limits", () => {
    const { onChannel } = setup();

    expect(onChannel(TPM)).toEqual({
      id: "call",
      bounds: [{ id: "channel:a", limits: TPM, tokens: 40 }],
    });
    expect(onChannel()).toBeUndefined();
  });

  test("is empty for a group without limits", () => {
    const group: Group = { id: 3, name: "g", priceFactor: 1, prices: new Map(), createdAt: 0 };
    const { claim: reservation, taken } = setup({ key: { group } });

    expect(reservation()).toBeUndefined();
    expect(taken).toEqual([]);
  });

  test("counts every requested choice", async () => {
    const body = BODY.replace('"max_tokens":50', '"max_tokens":20,"n":3');
    const { claim: reservation, taken } = setup({ limits: TPM, body });
    await reservation();

    expect(taken[0]?.bounds[0]?.tokens).toBe(70);
  });
});

test("rate limit headers show the scarcest limit of the key, and none of the model or the group", async () => {
  const left = (remaining: number) => ({ requests: { limit: 9, remaining, resetMs: 1 } });
  const group: Group = {
    id: 3,
    name: "g",
    priceFactor: 1_000,
    prices: new Map(),
    sharedLimits: RPM,
    createdAt: 0,
  };
  const { claim: reservation, told } = setup({
    limits: RPM,
    userLimits: RPM,
    model: { id: "model:m", limits: RPM },
    key: { group },
    verdict: { statuses: [left(5), left(3), left(2), left(1)] },
  });
  await reservation();

  expect(told).toEqual([left(3)]);
});

test("of equally scarce limits, the headers show the one that resets last", async () => {
  const left = (resetMs: number) => ({ tokens: { limit: 9, remaining: 3, resetMs } });
  for (const statuses of [
    [left(1_000), left(2_000)],
    [left(2_000), left(1_000)],
  ]) {
    const { claim: reservation, told } = setup({
      limits: TPM,
      userLimits: TPM,
      verdict: { statuses },
    });
    await reservation();

    expect(told).toEqual([left(2_000)]);
  }
});

test("changed limits of all users apply to the next call of a key", () => {
  const idsUnder = (limits: RateLimits | undefined): readonly string[] =>
    callerLimits(KEY, limits).map(({ id, limits: { requestsPerMinute } }) =>
      [id, requestsPerMinute].join(" "),
    );

  expect(idsUnder({ requestsPerMinute: 5 })).toEqual(["user:7 5"]);
  expect(idsUnder({ requestsPerMinute: 6 })).toEqual(["user:7 6"]);
  expect(idsUnder(undefined)).toEqual([]);
});

test("a limiter shared by several gateways decides like a local one", async () => {
  const bound = { id: "key:1", limits: RPM, tokens: 0 };
  const refusal = { by: "requests", bound, retryAfterMs: 5 } as const;
  const { claim: reservation } = setup({
    limits: RPM,
    isRemote: true,
    verdict: { refusal, statuses: [{}] },
  });

  const error = await errorOf(reservation);
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 5 });
});

test("a call that exceeds the limit by itself gets its size in the error, and no time to wait", async () => {
  const bound = { id: "key:1", limits: TPM, tokens: 4_000 };
  const refusal = { by: "tokens", bound } as const;
  const { claim: reservation } = setup({ limits: TPM, verdict: { refusal, statuses: [{}] } });

  const error = await errorOf(reservation);
  expect(error).toMatchObject({
    code: "rate_limited",
    message:
      "This call may need 4000 tokens, and this API key has 1000 tokens a minute: " +
      "lower max_tokens or send less.",
  });
  expect(error).not.toHaveProperty("retryAfterMs", expect.any(Number));
});

test.each([
  ["key:1", "requests", 20_000, "This API key is at its limit of 5 requests a minute."],
  ["user:7", "tokens", 20_000, "This account is at its limit of 1000 tokens a minute."],
  ["group:3", "requests", 20_000, "This account's group is at its limit of 5 requests a minute."],
  ["model:m", "requests", 20_000, "This model is at its limit of 5 requests a minute."],
  ["key:1", "concurrency", 1_000, "This API key is at its limit of 2 calls at once."],
] as const)(
  "a client over the limit of %s by %s gets an error that says so",
  async (id, by, wait, message) => {
    const bound = { id, limits: { ...RPM, ...TPM, concurrency: 2 }, tokens: 40 };
    const refusal = { by, bound, retryAfterMs: wait };
    const { claim: reservation, told } = setup({
      limits: RPM,
      verdict: { refusal, statuses: [{}] },
    });

    const error = await errorOf(reservation);

    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: "rate_limited", message, retryAfterMs: wait });
    expect(told).toHaveLength(1);
  },
);

describe("a request without a model call", () => {
  const counted = async (limits: RateLimits | undefined, verdict: Verdict) => {
    const seen: string[] = [];
    const limiter = {
      take(reservation: RateReservation): Verdict {
        seen.push(`taken ${reservation.bounds.map(({ id, tokens }) => `${id} ${tokens}`).join()}`);
        return verdict;
      },
      correct: () => {},
      release: ({ id }: RateReservation) => void seen.push(`released ${id}`),
      peek: () => ({ statuses: [] }),
    };
    const key = { ...KEY, ...(limits === undefined ? {} : { limits }) };
    const told = await countRequest(key, "call", { limiter, userLimits: undefined }).catch(
      (cause: unknown) => cause,
    );
    return { seen, told };
  };
  const requests = { limit: 9, remaining: 3, resetMs: 1 };

  test("counts against the key's limits, takes no tokens, and its slot is released at once", async () => {
    expect(await counted({ tokensPerMinute: 9 }, { statuses: [{ requests }] })).toEqual({
      seen: ["taken key:1 0", "released call"],
      told: { requests },
    });
  });

  test("is refused at the limit", async () => {
    const limits = { requestsPerMinute: 9 };
    const bound = { id: "key:1", limits, tokens: 0 };
    const refusal = { by: "requests", bound, retryAfterMs: 5 } as const;

    const { seen, told } = await counted(limits, { refusal, statuses: [{}] });

    expect(told).toMatchObject({ code: "rate_limited", retryAfterMs: 5 });
    expect(seen).toEqual(["taken key:1 0"]);
  });

  test("of a key without limits is not counted", async () => {
    expect(await counted(undefined, { statuses: [] })).toEqual({ seen: [], told: {} });
  });
});

test("unused tokens of a call are released, and so is its slot", () => {
  const seen: string[] = [];
  release({ id: "call", bounds: [] }, 12, {
    take: () => ({ statuses: [] }),
    correct: ({ id }, tokens) => void seen.push(`${id} used ${tokens}`),
    release: ({ id }) => void seen.push(`${id} released`),
    peek: () => ({ statuses: [] }),
  });

  expect(seen).toEqual(["call used 12", "call released"]);
});

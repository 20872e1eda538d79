import { expect, test } from "bun:test";
import type { Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Claim } from "#core/limits.ts";
import { nanoUsd } from "#core/money.ts";
import { systemClock } from "#lib/clock.ts";
import { findProvider } from "#providers/index.ts";
import { aChannel } from "#test/a-channel.ts";
import { firstToAnswer, type AttemptDeps } from "./attempt.ts";
import type { Served } from "./call.ts";
import { Health } from "./health.ts";
import type { Candidate } from "./route.ts";
import type { Settlement } from "./settlement.ts";

const CALL = {
  id: "call-1",
  key: { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: [] },
  style: { id: "chat" },
  facts: { model: "m", stream: false, maxOutputTokens: 1, choices: 1 },
  inputTokens: 1,
  signal: new AbortController().signal,
  at: 0,
  startedAt: 0,
} as unknown as Served;

function routeOf(channel: Channel): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  return { channel, provider, upstreamModel: "m", price: undefined, traits: {}, suffixes: [] };
}

/** One call along the routes; who was asked, and what was given back. `meanwhile`: while the limits are asked. */
async function attempt(
  routes: readonly Candidate[],
  health: Health,
  meanwhile: () => void = () => {},
): Promise<{ asked: string[]; givenBack: string[]; answer: string }> {
  const asked: string[] = [];
  const givenBack: string[] = [];
  const deps = {
    health,
    clock: systemClock,
    limiter: {
      async take() {
        await Promise.resolve();
        meanwhile();
        return { standings: [] };
      },
      correct: () => {},
      release: ({ id }: Claim) => void givenBack.push(id),
    },
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: 1_000,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = { tried: () => {}, took: () => {} } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  try {
    const begun = await firstToAnswer(CALL, plan as never, settlement, deps, async (route) => {
      asked.push(route.channel.name);
      return route.channel.name;
    });
    begun.release();
    return { asked, givenBack, answer: begun.answer };
  } catch (cause) {
    return { asked, givenBack, answer: GatewayError.from(cause).code };
  }
}

const LIMITED = { requestsPerMinute: 60 };

test("a channel that was filled after the plan was made is passed over", async () => {
  const health = new Health(systemClock);
  const routes = [aChannel({ name: "full" }), aChannel({ name: "spare" })].map(routeOf);
  const [full] = routes;
  if (full !== undefined) health.enter(full);

  expect(await attempt(routes, health)).toMatchObject({ asked: ["spare"], answer: "spare" });
});

test("a channel that is filled while its limits are asked gets no more than it takes, and its limits back", async () => {
  const health = new Health(systemClock);
  const only = routeOf(aChannel({ name: "only", limits: LIMITED }));

  const told = await attempt([only], health, () => health.enter(only));

  expect(told).toMatchObject({ asked: [], answer: "unavailable" });
  expect(told.givenBack).not.toBeEmpty();
  expect(new Set(told.givenBack)).toEqual(new Set(["call-1"]));
});

test("a channel that still has room is asked, and keeps what the call took of its limits", async () => {
  const only = routeOf(aChannel({ name: "only", limits: LIMITED }));

  expect(await attempt([only], new Health(systemClock))).toEqual({
    asked: ["only"],
    givenBack: [],
    answer: "only",
  });
});

test("what began and failed before its content is counted as a failure, and the next one is asked", async () => {
  const health = new Health(systemClock);
  const routes = [aChannel({ name: "first" }), aChannel({ name: "second" })].map(routeOf);
  const amended: string[] = [];
  const deps = {
    health,
    clock: systemClock,
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: Infinity,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = {
    tried: () => {},
    amendAttempt: ({ code }: GatewayError) => void amended.push(code),
  } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  const inFlight = () => routes.map(({ channel }) => health.inFlight(channel));

  const begun = await firstToAnswer(
    CALL,
    plan as never,
    settlement,
    deps,
    async ({ channel }) => channel.name,
  );
  expect([begun.answer, inFlight()]).toEqual(["first", [1, 0]]);
  const next = await begun.instead(new GatewayError("upstream_failed", "It broke off."));
  expect([next.answer, inFlight()]).toEqual(["second", [0, 1]]);
  const last = await next
    .instead(new GatewayError("upstream_overloaded", "Busy."))
    .catch(GatewayError.from);
  expect(last).toMatchObject({ code: "upstream_overloaded" });
  expect([amended, inFlight()]).toEqual([
    ["upstream_failed", "upstream_overloaded"],
    [0, 0],
  ]);
});

test("a caller who left while nothing had come has nobody else asked", async () => {
  const routes = [aChannel({ name: "first" }), aChannel({ name: "second" })].map(routeOf);
  const asked: string[] = [];
  const deps = {
    health: new Health(systemClock),
    clock: systemClock,
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: Infinity,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = { tried: () => {}, amendAttempt: () => {} } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  const begun = await firstToAnswer(CALL, plan as never, settlement, deps, async ({ channel }) => {
    asked.push(channel.name);
    return channel.name;
  });
  const left = new GatewayError("canceled", "The caller left.");

  expect(await begun.instead(left).catch(GatewayError.from)).toBe(left);
  expect(asked).toEqual(["first"]);
});

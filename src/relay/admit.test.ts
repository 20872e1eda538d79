import { describe, expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { Account, HoldRequest } from "#core/ledger.ts";
import type { RateReservation } from "#core/limits.ts";
import { nanoUsd, type Price } from "#core/money.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { findProvider } from "#providers/index.ts";
import { aChannel } from "#test/a-channel.ts";
import { admit, type AdmitDeps } from "./admit.ts";
import type { Served } from "./call.ts";
import { Health } from "./failover/health.ts";
import { endable, OpenCalls } from "./metering/open-calls.ts";
import { Router, UnpricedModel, type Candidate, type Plan } from "./routing/route.ts";

const PRICE: Price = { input: 1, output: 1, source: "test", date: "2026-01-01" };

interface Scene {
  readonly prices?: readonly (Price | undefined)[];
  readonly limits?: boolean;
  /** The limit of the user is reached. */
  readonly isAtLimit?: boolean;
  readonly granted?: number | null;
  readonly holding?: GatewayError;
  readonly makePlan?: (made: Plan<Candidate>) => Plan<Candidate>;
}

/** Admits one call; everything that is asked and told meanwhile, in order. */
async function scene({
  prices = [PRICE],
  limits = false,
  isAtLimit = false,
  granted = null,
  holding,
  makePlan = (made) => made,
}: Scene = {}) {
  const events: string[] = [];
  const holds: HoldRequest[] = [];
  const journal: CallRecord[] = [];
  const observed: CallRecord[] = [];
  const unpriced: unknown[] = [];
  const clock = { now: () => 5, monotonic: () => 5 };
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  const routes = prices.map((price, index): Candidate => ({
    channel: aChannel({ name: `c${index}` }),
    provider,
    upstreamModel: "m",
    price,
    traits: {},
    suffixes: [],
  }));
  const table = {
    find: () => routes,
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits: false,
  };
  const open = new OpenCalls();
  const settings = { unpriced: undefined, assumedOutputTokens: 1 };
  const deps = {
    clock,
    limiter: {
      async take({ bounds: [bound] }: RateReservation) {
        events.push("limits taken");
        const refusal = { by: "requests", bound, retryAfterMs: 1_000 };
        return { statuses: [], ...(isAtLimit && { refusal }) };
      },
      correct: (_: unknown, tokens: number) => void events.push(`${tokens} tokens used`),
      release: () => void events.push("limits released"),
    },
    userLimits: limits ? { requestsPerMinute: 1 } : undefined,
    router: new Router(table, new Health(clock), settings),
    ledger: {
      async hold(request: HoldRequest) {
        events.push("held");
        if (holding !== undefined) throw holding;
        holds.push(request);
        return { durable: Promise.resolve() };
      },
      findAccount: async (id: string) => ({ id, granted }) as Account,
    },
    delivery: { deadlines: new Deadlines(clock) },
    open,
    maxOpen: 10,
    onClosed: (record: CallRecord) => void observed.push(record),
    onUnpriced: (notice: unknown) => void unpriced.push(notice),
    onError: () => {},
    journal: { write: (record: CallRecord) => void journal.push(record) },
  } as unknown as AdmitDeps;
  const call = {
    id: "call-1",
    key: { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "chat" },
    facts: { model: "m", stream: true, maxOutputTokens: 1, choices: 1 },
    inputTokens: 1,
    signal: new AbortController().signal,
    at: 0,
    startedAt: 0,
    count: () => Promise.reject(new Error("Nothing is counted here.")),
  } as unknown as Served;
  const plan = (): Plan<Candidate> => {
    events.push("planned");
    return makePlan({ routes, estimate: nanoUsd(7) });
  };
  const admitting = async () => await admit(endable(call), { plan }, deps);
  const told = await admitting().catch(GatewayError.from);
  return { told, routes, events, holds, journal, observed, unpriced, open };
}

const refuse = (error: GatewayError) => (): never => {
  throw error;
};

describe("a call that is admitted", () => {
  test("has its plan's money reserved, and counts as open", async () => {
    const { told, events, holds, journal, open, routes } = await scene();

    expect(told).toMatchObject({ plan: { routes, estimate: 7 } });
    expect(events).toEqual(["planned", "held"]);
    expect(holds).toMatchObject([{ callId: "call-1", accounts: ["user:1"], amount: 7 }]);
    expect(open.count).toBe(1);
    expect(journal).toEqual([]);
  });

  test("takes from its limits first, and holds that until its end", async () => {
    const { told, events } = await scene({ limits: true });

    expect(events).toEqual(["limits taken", "planned", "held"]);
    if (told instanceof GatewayError) throw told;
    told.settlement.transfer();
    expect(events.slice(3)).toEqual(["0 tokens used", "limits released"]);
  });
});

describe("a refused call is recorded without a cost", () => {
  test("if it exceeds a limit, without a look at channels or accounts", async () => {
    const { told, events, journal, open } = await scene({ limits: true, isAtLimit: true });

    expect(told).toMatchObject({ code: "rate_limited" });
    expect(events).toEqual(["limits taken"]);
    expect(journal).toMatchObject([
      { id: "call-1", outcome: "failed", fault: "rate_limited", cost: 0, durationMs: 5 },
    ]);
    expect(open.count).toBe(0);
  });

  test("if it has no channel, and its limits are released", async () => {
    const makePlan = refuse(new GatewayError("unavailable", ""));
    const { told, events, journal } = await scene({ limits: true, makePlan });

    expect(told).toMatchObject({ code: "unavailable" });
    expect(events).toEqual(["limits taken", "planned", "0 tokens used", "limits released"]);
    expect(journal).toMatchObject([{ fault: "unavailable" }]);
  });

  test("if it lacks money, and without limits there is nothing to release", async () => {
    const holding = new GatewayError("out_of_quota", "");
    const { told, events, journal, observed, open, unpriced } = await scene({ holding });

    expect(told).toBe(holding as never);
    expect(events).toEqual(["planned", "held"]);
    expect(journal).toMatchObject([{ fault: "out_of_quota" }]);
    expect(observed).toEqual(journal);
    expect(open.count).toBe(0);
    expect(unpriced).toEqual([]);
  });

  test("if an internal error occurs, whose details are hidden", async () => {
    const makePlan = (): never => {
      throw new Error("a defect");
    };
    const { told, journal } = await scene({ makePlan });

    expect(told).toMatchObject({
      code: "internal",
      message: expect.not.stringContaining("a defect"),
    });
    expect(journal).toMatchObject([{ fault: "internal" }]);
  });
});

describe("a model without a price", () => {
  test("is served to a user without a quota", async () => {
    const { told, routes, unpriced } = await scene({ prices: [undefined, PRICE] });

    expect(told).toMatchObject({ plan: { routes } });
    expect(unpriced).toEqual([]);
  });

  test("is served over its channels with a price to a user with a quota", async () => {
    const { told, routes } = await scene({ prices: [undefined, PRICE], granted: 100 });

    if (told instanceof GatewayError) throw told;
    expect(told.plan.routes).toEqual(routes.slice(1));
    expect(told.plan.estimate).toBe(nanoUsd(7));
  });

  test("is refused without a channel that has a price, and the operator gets a warning", async () => {
    const { told, holds, journal, unpriced } = await scene({ prices: [undefined], granted: 100 });

    expect(told).toBeInstanceOf(UnpricedModel);
    expect(holds).toEqual([]);
    expect(journal).toMatchObject([{ fault: "forbidden" }]);
    expect(unpriced).toEqual([{ model: "m", channel: "c0", provider: "openai", isRefused: true }]);
  });

  test("that no channel serves is refused without a warning", async () => {
    const makePlan = refuse(new UnpricedModel("m", [], "it is so"));
    const { told, unpriced } = await scene({ makePlan });

    expect(told).toMatchObject({ code: "forbidden" });
    expect(unpriced).toEqual([]);
  });
});

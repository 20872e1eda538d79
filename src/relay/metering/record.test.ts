import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { nanoUsd, type Price } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { findProvider } from "#providers/index.ts";
import { aCall } from "#test/a-call.ts";
import { aChannel } from "#test/a-channel.ts";
import type { Candidate } from "../routing/route.ts";
import { recordOf, recordOfRefusal } from "./record.ts";

const PRICE: Price = { input: 1_000, output: 2_000, source: "test", date: "2026-01-01" };
const CLOCK = { now: () => 0, monotonic: () => 150.4 };
const CALL = { ...aCall({ model: "asked" }), at: 7, startedAt: 50 };
const COURSE = {
  outcome: "completed",
  fault: null,
  usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5 },
  cost: nanoUsd(20),
  route: undefined,
  firstByteAt: 80.75,
  upstreamMs: 20.5,
  attempts: [{ channel: "one", credential: "", fault: null, status: 200, durationMs: 20 }],
  lost: ["seed"],
} as const;

function routeWith(price: Price | undefined): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  return { channel: aChannel(), provider, upstreamModel: "sent", price, traits: {}, suffixes: [] };
}

test("the record of an answered call has its route, its times, its charge and its rates", () => {
  expect(recordOf(CALL, CLOCK, { ...COURSE, route: routeWith(PRICE) })).toStrictEqual({
    id: "call",
    at: 7,
    userId: 1,
    keyId: 1,
    model: "asked",
    upstreamModel: "sent",
    channel: "one",
    provider: "openai",
    style: "chat",
    isStream: false,
    outcome: "completed",
    fault: null,
    usage: COURSE.usage,
    cost: nanoUsd(20),
    firstByteMs: 31,
    durationMs: 100,
    upstreamMs: 20.5,
    overheadMs: 10.25,
    attempts: COURSE.attempts,
    lost: ["seed"],
    rates: PRICE,
  });
});

test("the record names the endpoint, the team, the group, the tags and the trace of the call", () => {
  const group = { id: 4, name: "g", priceFactor: 1_000, prices: new Map(), createdAt: 0 };
  const key = { ...CALL.key, teamId: 3, group };
  const tags = { session: "s" };

  const record = recordOf(
    { ...CALL, key, tags, endpoint: "text", traceparent: "00-1-2-01" },
    CLOCK,
    COURSE,
  );

  expect(record).toMatchObject({
    endpoint: "text",
    teamId: 3,
    groupId: 4,
    tags,
    traceparent: "00-1-2-01",
  });
});

test("a call without a route has no channel, no price and no mark of a missing price", () => {
  const record = recordOf(CALL, CLOCK, COURSE);

  expect(record).toMatchObject({ upstreamModel: null, channel: null, provider: null });
  for (const name of ["isUnpriced", "rates", "teamId", "groupId", "tags", "endpoint"]) {
    expect(record).not.toHaveProperty(name);
  }
  expect(record).not.toHaveProperty("traceparent");
});

test("a call of a model without a price is marked, and has no rates", () => {
  const record = recordOf(CALL, CLOCK, {
    ...COURSE,
    cost: nanoUsd(0),
    route: routeWith(undefined),
  });

  expect(record.isUnpriced).toBe(true);
  expect(record).not.toHaveProperty("rates");
});

test("a call that cost nothing has no rates", () => {
  const record = recordOf(CALL, CLOCK, { ...COURSE, cost: nanoUsd(0), route: routeWith(PRICE) });

  expect(record).not.toHaveProperty("rates");
  expect(record).not.toHaveProperty("isUnpriced");
});

test("the parts of a call by several models are recorded with their own rates", () => {
  const advisor: Price = { ...PRICE, output: 9_000 };
  const step = { ...NO_USAGE, outputTokens: 5 };
  const usage = {
    ...NO_USAGE,
    outputTokens: 10,
    steps: [{ usage: step }, { model: "advisor", usage: step }],
  };

  const record = recordOf(CALL, CLOCK, {
    ...COURSE,
    usage,
    route: routeWith(PRICE),
    priceOf: (model) => (model === "advisor" ? advisor : undefined),
  });

  expect(record.charges?.map(({ model, rates }) => [model, rates.output])).toEqual([
    [undefined, 2_000],
    ["advisor", 9_000],
  ]);
});

test("a name of a model that is as long as a text is cut", () => {
  const facts = { ...CALL.facts, model: "x".repeat(257) };

  expect(recordOf({ ...CALL, facts }, CLOCK, COURSE).model).toBe("x".repeat(256));
});

test("a refused call is recorded as failed, without cost, attempts or a first byte", () => {
  const error = new GatewayError("model_not_found", "No such model.");

  expect(recordOfRefusal(CALL, error, CLOCK)).toMatchObject({
    outcome: "failed",
    fault: "model_not_found",
    usage: NO_USAGE,
    cost: nanoUsd(0),
    channel: null,
    firstByteMs: null,
    overheadMs: null,
    upstreamMs: 0,
    durationMs: 100,
    attempts: [],
    lost: [],
  });
});

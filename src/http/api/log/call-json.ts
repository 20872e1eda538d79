import { z } from "zod";
import { endOf, statusOf } from "#core/call-filter.ts";
import type { AttemptRecord, CallNames, CallRecord } from "#core/call.ts";
import { FAMILIES } from "#core/family.ts";
import { PERIODS } from "#core/key.ts";
import { DIMENSIONS, type ExceededLimit } from "#core/limits.ts";
import { partsOf, writePartCost, type Charge, type CostPart } from "#core/money.ts";
import { wordOf, writeRate } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { showUsd } from "../usd.ts";
import { seconds } from "../seconds.ts";
import { USAGE_COUNTS } from "../usage-counts.ts";

const ATTEMPT = z.object({
  channel: z.string(),
  credential: z.string(),
  fault: z.string().nullable(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  type: z.string().nullable(),
  reason: z.string().nullable(),
  start_ms: z.number().describe("From admission to the start of the attempt."),
  connect_ms: z
    .number()
    .nullable()
    .describe(
      "Time to open a connection; 0 if an open one was used, null if the upstream did not answer.",
    ),
  wait_ms: z
    .number()
    .nullable()
    .describe("From the sent request to the first part of the answer, or to the failure."),
  first_byte_ms: z
    .number()
    .nullable()
    .describe("From admission to the first part of the answer; null if the attempt failed."),
  end_ms: z.number().describe("From admission to the failure, or to the end of the call."),
  duration_ms: z.number(),
});

export const REFUSED_BY = z
  .object({
    of: z.string().describe("`key:31`, `user:7`, `team:2`, `group:2`, `gateway:0`, or a model."),
    by: z
      .enum([...DIMENSIONS, ...PERIODS, "total"])
      .describe("A rate, the period of a budget, or `total` for a quota."),
    amount: z.number().nullable().describe("Of a rate."),
  })
  .nullable()
  .describe("The limit or budget that refused the call.");

const FIELDS = {
  id: z.string(),
  created_at: z.int(),
  ended_at: z.int(),
  token_id: z.int(),
  token_name: z.string().nullable(),
  model: z.string(),
  style: z.string(),
  endpoint: z.enum(FAMILIES).nullable(),
  stream: z.boolean(),
  outcome: z.enum(["completed", "failed", "canceled", "interrupted"]),
  fault: z.string().nullable(),
  status: z
    .int()
    .describe("HTTP status of the answer, or of its failure if a part was sent before."),
  refused_by: REFUSED_BY,
  upstream_status: z.int().nullable(),
  upstream_code: z.string().nullable(),
  usage: z.object({
    ...USAGE_COUNTS,
    grade: z.string().nullable(),
    service_tier: z.string().nullable(),
    speed: z.string().nullable(),
    region: z.string().nullable(),
    is_estimated: z.boolean(),
  }),
  cost_usd: z.number(),
  unpriced: z.boolean(),
  first_byte_ms: z.number().nullable(),
  duration_ms: z.number(),
  not_carried: z.array(z.string()),
  session_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  parent_agent_id: z.string().nullable(),
  tags: z.array(z.string()),
};

const OF_USER = {
  user_id: z.int(),
  user_name: z.string().nullable(),
  team_id: z.int().nullable(),
  team_name: z.string().nullable(),
  group_id: z.int().nullable(),
};

const WHOLE = {
  ...OF_USER,
  upstream_model: z.string().nullable(),
  channel: z.string().nullable(),
  provider: z.string().nullable(),
  attempts: z.array(ATTEMPT),
};

const COST_PARTS = {
  cost_parts: z
    .array(
      z.object({
        kind: z.string(),
        count: z.number(),
        usd_per_million: z.string().optional(),
        usd_each: z.string().optional(),
        cost_usd: z.string(),
        model: z.string().optional(),
      }),
    )
    .nullable(),
};

export const OWN_CALL = z.object(FIELDS).meta({ id: "OwnCall" });
export const OWN_CALL_IN_PARTS = z.object({ ...FIELDS, ...COST_PARTS });
export const MEMBERS_CALL = z.object({ ...FIELDS, ...OF_USER }).meta({ id: "MembersCall" });
export const MEMBERS_CALL_IN_PARTS = z.object({ ...FIELDS, ...OF_USER, ...COST_PARTS });
export const CALL = z.object({ ...FIELDS, ...WHOLE }).meta({ id: "Call" });
export const CALL_IN_PARTS = z.object({ ...FIELDS, ...WHOLE, ...COST_PARTS });

/** A call as whoever made it sees it: who served it is not theirs to know. */
export function showCall(call: CallRecord, names: CallNames): JsonObject {
  const { usage } = call;
  return {
    id: call.id,
    created_at: seconds(call.at),
    ended_at: seconds(endOf(call)),
    token_id: call.keyId,
    token_name: names.keys.get(call.keyId) ?? null,
    model: call.model,
    style: call.style,
    endpoint: call.endpoint ?? null,
    stream: call.isStream,
    outcome: call.outcome,
    fault: call.fault,
    status: statusOf(call),
    refused_by: showExceeded(call.refusedBy),
    ...showUpstreamFailure(call),
    usage: {
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_input_tokens: usage.audioInputTokens,
      output_tokens: usage.outputTokens,
      reasoning_tokens: usage.reasoningTokens,
      audio_output_tokens: usage.audioOutputTokens,
      image_input_tokens: usage.imageInputTokens ?? 0,
      image_output_tokens: usage.imageOutputTokens ?? 0,
      images: usage.images ?? 0,
      reference_images: usage.referenceImages ?? 0,
      media_seconds: (usage.durationMs ?? 0) / 1_000,
      characters: usage.characters ?? 0,
      searches: usage.searches ?? 0,
      grade: usage.grade ?? null,
      service_tier: usage.served?.serviceTier ?? null,
      speed: usage.served?.speed ?? null,
      region: usage.served?.region ?? null,
      is_estimated: usage.isEstimated,
    },
    cost_usd: showUsd(call.cost),
    unpriced: call.isUnpriced === true,
    first_byte_ms: call.firstByteMs,
    duration_ms: call.durationMs,
    not_carried: call.lost,
    session_id: call.tags?.session ?? null,
    agent_id: call.tags?.agent ?? null,
    parent_agent_id: call.tags?.parentAgent ?? null,
    tags: call.tags?.free ?? [],
  };
}

export function showExceeded(limit: ExceededLimit | undefined): JsonObject | null {
  if (limit === undefined) return null;
  return { of: limit.of, by: limit.by, amount: limit.amount ?? null };
}

/** One bar of the waterfall. */
function showTimes(
  { fault, status, startMs = 0, connectMs, durationMs }: AttemptRecord,
  call: Pick<CallRecord, "durationMs">,
): JsonObject {
  const begun = startMs + durationMs;
  const connected = connectMs ?? (status === null ? undefined : 0);
  return {
    start_ms: startMs,
    connect_ms: connected ?? null,
    wait_ms: connected === undefined ? null : durationMs - connected,
    first_byte_ms: fault === null ? begun : null,
    end_ms: fault === null ? Math.max(begun, call.durationMs) : begun,
  };
}

/** The last upstream's error message; null if the call did not fail. */
function showUpstreamFailure({ fault, attempts }: CallRecord): JsonObject {
  const last = fault === null ? undefined : attempts.at(-1);
  const failed = last?.fault === null ? undefined : last;
  return { upstream_status: failed?.status ?? null, upstream_code: failed?.code ?? null };
}

/**
 * Cost of each part of a call; null if the rates are unknown. The rounded-up sum is the cost of the
 * call.
 */
export function showCostParts({ usage, rates, charges }: CallRecord): JsonObject {
  if (rates === undefined) return { cost_parts: null };
  const charged: readonly Charge[] = charges ?? [{ usage, rates }];
  return { cost_parts: charged.flatMap(showCharge) };
}

/** `model`: set if a model other than the called one did this part. */
function showCharge({ usage, rates, model }: Charge): readonly JsonObject[] {
  return partsOf(usage, rates)
    .filter(({ count }) => count > 0)
    .map((part) => ({ ...showCostPart(part), ...defined({ model }) }));
}

function showCostPart(part: CostPart): JsonObject {
  const { kind, count, rate } = part;
  // Reasoning has no price of its own: it is charged as output.
  const { word, scale } = kind === "reasoning" ? REASONING : wordOf(kind);
  return {
    kind: word,
    count: kind === "second" ? count / 1_000 : count,
    [scale === "million" ? "usd_per_million" : "usd_each"]: writeRate(rate, scale),
    cost_usd: writePartCost(part),
  };
}

const REASONING = { word: "reasoning", scale: "million" } as const;

/** A call as the owner of its team sees it: with its user, and without channels. */
export function showMembersCall(call: CallRecord, names: CallNames): JsonObject {
  return {
    ...showCall(call, names),
    user_id: call.userId,
    user_name: names.users.get(call.userId) ?? null,
    team_id: call.teamId ?? null,
    team_name: (call.teamId === undefined ? undefined : names.teams.get(call.teamId)) ?? null,
    group_id: call.groupId ?? null,
  };
}

/** A call as an admin sees it: with channel and upstream. */
export function showCallWhole(call: CallRecord, names: CallNames): JsonObject {
  return {
    ...showMembersCall(call, names),
    upstream_model: call.upstreamModel,
    channel: call.channel,
    provider: call.provider,
    attempts: call.attempts.map((attempt) => ({
      channel: attempt.channel,
      credential: attempt.credential,
      fault: attempt.fault,
      status: attempt.status,
      code: attempt.code ?? null,
      type: attempt.type ?? null,
      reason: attempt.reason ?? null,
      ...showTimes(attempt, call),
      duration_ms: attempt.durationMs,
    })),
  };
}

import { z } from "zod";
import { operationFields } from "#config/documents/channel-operation.ts";
import { overrideFields } from "#config/documents/overrides.ts";
import type { ChannelState } from "#core/channel-state.ts";
import type { ModelList } from "#core/channel.ts";
import { writeThousandths } from "#core/money.ts";
import type { RateLimits } from "#core/limits.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Health } from "#relay/failover/health.ts";
import { isServing, type ListedChannel } from "#relay/routing/channel-registry.ts";
import { seconds } from "../seconds.ts";

export const SHOWN_LIMITS = z
  .object({ rpm: z.int().nullable(), tpm: z.int().nullable() })
  .nullable();

const CHANGES = z
  .object({
    set: z.record(z.string(), z.unknown()).optional(),
    default: z.record(z.string(), z.unknown()).optional(),
    remove: z.array(z.string()).optional(),
  })
  .nullable();

const DISABLED = z
  .object({
    cause: z.enum(["refused", "failing", "no_balance"]),
    reason: z.string(),
    since: z.int(),
    next_test_at: z.int(),
    tests: z.int(),
  })
  .nullable();

export const CHANNEL = z
  .object({
    id: z
      .int()
      .nullable()
      .describe("Null for a channel that is not stored; its name identifies it."),
    source: z.enum(["environment", "file", "stored", "simulated"]),
    owner: z.string().nullable(),
    status: z.int().describe("1 enabled, 2 disabled."),
    serving: z.boolean(),
    disabled: DISABLED.describe("Set if the gateway disabled the channel by itself."),
    trouble: z.string().nullable().describe("Reason why an enabled channel cannot serve calls."),
    name: z.string(),
    provider: z.string(),
    base_url: z.string().nullable(),
    models: z
      .array(z.union([z.string(), z.object({ name: z.string(), upstream: z.string() })]))
      .nullable(),
    model_prefix: z.string().nullable(),
    style: z.string().nullable(),
    options: z.looseObject({}).nullable(),
    priority: z.int(),
    weight: z.number(),
    max_concurrent: z.int().nullable(),
    limits: SHOWN_LIMITS,
    headers: CHANGES,
    query: CHANGES,
    body: CHANGES,
    system_prompt: z.string().nullable(),
    timeout: z
      .object({ first_byte: z.string().optional(), total: z.string().optional() })
      .nullable(),
    proxy: z
      .string()
      .nullable()
      .describe("With `***` in place of the login. In a change, `***` keeps the login."),
    auto_disable: z
      .object({
        refused: z.boolean().optional(),
        failing_share: z.number().optional(),
        min_attempts: z.int().optional(),
        window: z.string().optional(),
        no_balance: z.boolean().optional(),
      })
      .nullable(),
    low_balance: z.number().nullable(),
    price_factor: z.string().nullable().describe("A decimal."),
    notes: z.string().nullable(),
    tags: z.array(z.string()),
    revision: z
      .int()
      .nullable()
      .describe("Counts the changes of a stored channel; send it back to find others' changes."),
    credentials: z.object({ count: z.int(), labels: z.array(z.string()) }),
    reach: z.enum(["public", "private"]).nullable(),
    state: z.enum(["closed", "half-open", "open"]),
    in_flight: z.int(),
    created_at: z.int().nullable(),
    updated_at: z.int().nullable(),
  })
  .meta({ id: "Channel" });

/** A channel as the file would describe it, and how it is doing. Of its credentials only their ends are shown. */
export function showChannel(listed: ListedChannel, health: Health): JsonObject {
  const { source, owner, channel, stored, issue } = listed;
  return {
    // Channels without an id are addressed by name.
    id: stored?.id ?? null,
    source,
    owner: owner ?? null,
    status: stored?.isEnabled === false ? 2 : 1,
    serving: isServing(listed),
    disabled: listed.disabled === undefined ? null : showState(listed.disabled),
    // The reason why an enabled channel cannot serve.
    trouble: issue ?? null,
    ...describe(stored ?? channel),
    revision: stored?.revision ?? null,
    credentials: {
      count: channel.credentials.length + (stored?.sealedCredentials ?? 0),
      labels: channel.credentials.map(({ label }) => label),
    },
    reach: channel.reach ?? null,
    state: health.state(channel),
    in_flight: health.inFlight(channel),
    created_at: stored === undefined ? null : seconds(stored.createdAt),
    updated_at: stored === undefined ? null : seconds(stored.updatedAt),
  };
}

function showState({ cause, reason, since, probeAt, probes }: ChannelState): JsonObject {
  return {
    cause,
    reason,
    since: seconds(since),
    next_test_at: seconds(probeAt),
    tests: probes,
  };
}

/** In the words of the file, but for credentials: what a change is laid over. */
export function describe(channel: Omit<ChannelDraft, "credentials">): JsonObject {
  const { name, provider, baseUrl, models, style, options, priority, weight, limits } = channel;
  return {
    name,
    provider,
    base_url: baseUrl === undefined || baseUrl === "" ? null : baseUrl,
    models: showModels(models),
    model_prefix: channel.modelPrefix ?? null,
    style: style ?? null,
    options: options ?? null,
    priority,
    weight,
    max_concurrent: channel.maxConcurrent ?? null,
    limits: showLimits(limits),
    headers: null,
    query: null,
    body: null,
    ...overrideFields(channel.overrides),
    system_prompt: null,
    timeout: null,
    proxy: null,
    auto_disable: null,
    low_balance: null,
    ...operationFields(channel),
    price_factor: channel.priceFactor === undefined ? null : writeThousandths(channel.priceFactor),
    notes: channel.notes ?? null,
    tags: channel.tags ?? [],
  };
}

export function showLimits(limits: RateLimits | undefined): JsonObject | null {
  if (limits === undefined) return null;
  return { rpm: limits.requestsPerMinute ?? null, tpm: limits.tokensPerMinute ?? null };
}

function showModels(models: ModelList): JsonObject[string] {
  if (models.kind === "discover") return null;
  return [...models.upstreamNames].map(([name, upstream]) =>
    name === upstream ? name : { name, upstream },
  );
}

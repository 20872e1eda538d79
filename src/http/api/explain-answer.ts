import { z } from "zod";
import type { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { Channel } from "#core/channel.ts";
import type { ValueChanges } from "#core/overrides.ts";
import { availableIn } from "#core/ledger.ts";
import { parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { snakeCase } from "#lib/letter-case.ts";
import type { Call } from "#relay/call.ts";
import type { ExplainedChannel, Explanation } from "#relay/explain.ts";
import type { Route } from "#relay/routing/route.ts";
import { originsOf } from "#relay/routing/traits.ts";
import type { HttpLimits } from "../limits.ts";
import { REFUSED_BY, showExceeded } from "./log/call-json.ts";
import { PRICE, showPrice } from "./price-json.ts";
import type { TextOperation } from "./text/operations.ts";

const REFUSED = z
  .object({
    status: z.int(),
    code: z.string(),
    message: z.string(),
    param: z.string().optional(),
    retry_after_ms: z.number().optional(),
    limit: REFUSED_BY.optional(),
  })
  .nullable();

export const EXPLANATION = z
  .object({
    object: z.literal("explanation"),
    style: z.string(),
    stream: z.boolean().optional(),
    model: z
      .object({
        name: z.string(),
        base: z.string().optional(),
        steering: z.looseObject({}).optional(),
      })
      .optional(),
    refused: REFUSED,
    channels: z.array(
      z.object({
        name: z.string(),
        provider: z.string(),
        model: z.string(),
        pattern: z.string().optional(),
        priority: z.int(),
        weight: z.number(),
        passed_over: z.string().nullable(),
        refused: REFUSED,
        price: PRICE.nullable(),
        traits: z.record(z.string(), z.object({ value: z.unknown(), from: z.string().nullable() })),
        way: z.string().optional(),
        style: z.string().nullable().optional(),
        path: z.string().nullable().optional(),
        style_reason: z.string().optional(),
        lost: z.array(z.string()).optional(),
        overrides: z.array(z.string()).optional(),
      }),
    ),
    request: z.object({ channel: z.string(), body: z.unknown() }).nullable(),
    estimate: z
      .object({ input_tokens: z.int(), output_tokens: z.int(), usd: z.number() })
      .nullable(),
    limits: z
      .object({
        messages: z.int(),
        body_bytes: z.int(),
        call_ms: z.int(),
        context_tokens: z.int().optional(),
        output_tokens: z.int().optional(),
        key: z.object({
          models: z.array(z.string()),
          expires_at: z.string().optional(),
          quota_left_usd: z.number().optional(),
          requests_per_minute: z.int().optional(),
          tokens_per_minute: z.int().optional(),
          concurrency: z.int().optional(),
        }),
      })
      .optional(),
    links_not_followed: z.array(z.string()).optional(),
    notes: z.array(z.string()).optional(),
  })
  .meta({ id: "Explanation" });

const NOTES = {
  order: "Among channels of one priority the order is drawn by weight, anew for each call.",
  links:
    "Links to media are not followed here: what a call would find behind them is left empty " +
    "in the request.",
} as const;

/** Money is in US dollars, rates in US dollars for a million tokens. */
export function describeExplanation(
  call: Call,
  explanation: Explanation,
  limits: HttpLimits,
): JsonObject {
  const { facts, style, key, inputTokens } = call;
  const { channels, estimate, refusal, links } = explanation;
  const [first] = channels;
  const { base, steering } = first?.route ?? {};
  return {
    object: "explanation",
    style: style.id,
    stream: facts.stream,
    model: {
      name: facts.model,
      ...(base === undefined ? {} : { base, steering: defined({ ...steering }) }),
    },
    refused: refusal === undefined ? null : refusalOf(refusal),
    channels: channels.map(channelOf),
    request: requestOf(first),
    estimate:
      estimate === undefined
        ? null
        : {
            input_tokens: inputTokens,
            output_tokens: estimate.outputTokens,
            usd: estimate.cost / 1e9,
          },
    limits: {
      messages: limits.messages,
      body_bytes: limits.bodyBytes,
      call_ms: limits.totalMs,
      ...defined({
        context_tokens: first?.route.traits.contextTokens,
        output_tokens: first?.route.traits.maxOutputTokens,
      }),
      key: keyLimits(key, explanation),
    },
    links_not_followed: links,
    notes: [
      ...(channels.length > 1 ? [NOTES.order] : []),
      ...(links.length > 0 ? [NOTES.links] : []),
    ],
  };
}

/** Explanation of a request that is refused before it becomes a call. */
export function describeRefusal({ style }: TextOperation, refusal: GatewayError): JsonObject {
  return {
    object: "explanation",
    style: style.id,
    refused: refusalOf(refusal),
    channels: [],
    request: null,
    estimate: null,
  };
}

function refusalOf(refusal: GatewayError): JsonObject {
  const { code, fault, message, param, retryAfterMs, limit } = refusal;
  return {
    status: fault.status,
    code,
    message,
    ...defined({ param, retry_after_ms: retryAfterMs }),
    ...(limit === undefined ? {} : { limit: showExceeded(limit) }),
  };
}

function channelOf({ route, objection, request, refusal }: ExplainedChannel): JsonObject {
  const { channel, provider, upstreamModel, pattern, price } = route;
  return {
    name: channel.name,
    provider: provider.id,
    model: upstreamModel,
    ...defined({ pattern }),
    priority: channel.priority,
    weight: channel.weight,
    passed_over: objection ?? null,
    refused: refusal === undefined ? null : refusalOf(refusal),
    price: price === undefined ? null : showPrice(price),
    traits: traitsOf(route),
    ...(request === undefined
      ? {}
      : {
          way: request.way,
          style: request.style ?? null,
          path: request.path ?? null,
          ...defined({ style_reason: request.styleReason }),
          lost: request.lost,
          ...defined({ overrides: overriddenNames(channel) }),
        }),
  };
}

/** The names that the channel's overrides change: `headers.set.x-team`. */
function overriddenNames({ overrides = {}, systemPrompt }: Channel): string[] | undefined {
  const parts: readonly (readonly [string, ValueChanges<unknown>])[] = Object.entries(overrides);
  const names = parts.flatMap(([part, { set = {}, default: defaults = {}, remove = [] }]) => [
    ...Object.keys(set).map((name) => `${part}.set.${name}`),
    ...Object.keys(defaults).map((name) => `${part}.default.${name}`),
    ...remove.map((name) => `${part}.remove.${name}`),
  ]);
  const all = systemPrompt === undefined ? names : ["system_prompt", ...names];
  return all.length === 0 ? undefined : all;
}

/** The model traits that the request is adapted to, and the source of each. */
function traitsOf({ traits, sources = {} }: Route): JsonObject {
  const { rules, counting: _, ...others } = traits;
  const origins = originsOf(sources);
  const shown = [
    ...Object.entries(others),
    ...Object.entries(rules ?? {}).map(([name, value]) => [`rules.${name}`, value] as const),
  ].map(([name, value]) => {
    const trait: JsonObject = { value: jsonOf(value), from: origins[name] ?? null };
    return [snakeCase(name), trait] as const;
  });
  return Object.fromEntries(shown);
}

/** Traits are plain data. */
function jsonOf(value: unknown): Json {
  return parseJson(JSON.stringify(value)) ?? null;
}

function requestOf(first: ExplainedChannel | undefined): JsonObject | null {
  if (first?.request === undefined) return null;
  const { body } = first.request;
  return { channel: first.route.channel.name, body: parseJson(body) ?? body };
}

function keyLimits({ models, expiresAt, limits }: ApiKey, { account }: Explanation): JsonObject {
  const isBound = account !== undefined && account.granted !== null;
  const bounds: Readonly<Record<string, Json | undefined>> = {
    expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    quota_left_usd: isBound ? availableIn(account, 0) / 1e9 : undefined,
    requests_per_minute: limits?.requestsPerMinute,
    tokens_per_minute: limits?.tokensPerMinute,
    concurrency: limits?.concurrency,
  };
  return { models, ...defined(bounds) };
}

import type { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import { availableIn } from "#core/ledger.ts";
import { parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { snakeCase } from "#lib/letter-case.ts";
import type { Call } from "#relay/call.ts";
import type { ExplainedChannel, Explanation } from "#relay/explain.ts";
import type { Route } from "#relay/routing/route.ts";
import { originsOf } from "#relay/routing/traits.ts";
import type { HttpLimits } from "../deps.ts";
import { showPrice } from "./price-json.ts";
import type { TextOperation } from "./text/operations.ts";

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

function refusalOf({ code, fault, message, param, retryAfterMs }: GatewayError): JsonObject {
  return {
    status: fault.status,
    code,
    message,
    ...defined({ param, retry_after_ms: retryAfterMs }),
  };
}

function channelOf({ route, objection, request, refusal }: ExplainedChannel): JsonObject {
  const { channel, provider, upstreamModel, price } = route;
  return {
    name: channel.name,
    provider: provider.id,
    model: upstreamModel,
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
        }),
  };
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
    quota_left_usd: isBound ? availableIn(account) / 1e9 : undefined,
    requests_per_minute: limits?.requestsPerMinute,
    tokens_per_minute: limits?.tokensPerMinute,
    concurrency: limits?.concurrency,
  };
  return { models, ...defined(bounds) };
}

import { unknownModel } from "./unknown-model.ts";
import type { Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { priceFor, type Group } from "#core/group.ts";
import type { ApiKey } from "#core/key.ts";
import type { CallSize, Limited } from "#core/limits.ts";
import {
  estimateCost,
  FREE,
  pricesOnlyOtherUnits,
  nanoUsd,
  priceAt,
  type AskedFor,
  type NanoUsd,
  type Price,
  type PriceOf,
} from "#core/money.ts";
import type { Reasoning } from "#core/chat.ts";
import type { ModelTraits, SuffixKind } from "#core/model.ts";
import type { ReasoningHome } from "#core/reasoning-home.ts";
import { clampCount, type Usage } from "#core/usage.ts";
import type {
  ImageEndpoint,
  Provider,
  TextAdapter,
  TextEndpoint,
  VideoEndpoint,
} from "#providers/provider.ts";
import type { Call, Served } from "../call.ts";
import type { Caller } from "../failover/cooldowns.ts";
import type { UnavailableReason, Health } from "../failover/health.ts";
import { mayNeedStyle, neededStyle, type NeededStyle } from "./needed-style.ts";
import { withinReach } from "./reach.ts";
import type { TraitSources } from "./traits.ts";

/** A channel that can serve a model, with the data for an attempt. */
export interface Candidate {
  readonly channel: Channel;
  readonly provider: Provider;
  readonly upstreamModel: string;
  /** In a plan: the caller's price. */
  readonly price: Price | undefined;
  /** The operator's price, which applies to any model that responds under this name. */
  readonly hasOwnPrice?: true;
  /** Prices of the vendor's other models, which may do part of a call's work. */
  readonly priceOf?: PriceOf;
  /** The processing region of the channel's address, if the price may depend on it. */
  readonly region?: string;
  readonly traits: ModelTraits;
  /** The origin of each trait. */
  readonly sources?: TraitSources;
  /** A high estimate of the channel's system prompt, which the caller did not send. */
  readonly promptTokens?: number;
  /** Suffixes that the name supports. */
  readonly suffixes: readonly SuffixKind[];
  /** The reasoning setting of the suffix in the client's model name. */
  readonly steering?: Reasoning;
  /** The name without that suffix. */
  readonly base?: string;
  /** The name without the client's vendor prefix. */
  readonly entry?: string;
  /** The catalog's id, if the name is the vendor's alias for it. */
  readonly aliasOf?: string;
  /** The pattern of the channel that stands for the name, as its owner wrote it. */
  readonly pattern?: string;
  /** Id of the provider that made the model, if the catalog knows it. */
  readonly maker?: string;
  /** The expected usage, if it is known better than for calls in general. */
  readonly expected?: Usage;
  /** Label of the only usable credential: the requested object belongs to its account. */
  readonly account?: string;
  /** The configuration entry whose limits apply to the model. */
  readonly limited?: Limited;
}

/** A candidate for a call of a certain style. */
export type Route = WireRoute | AdaptedRoute;

export interface WireRoute extends Candidate {
  readonly endpoint: TextEndpoint;
  /** The feature of the call that required this endpoint, if it is not the client's style. */
  readonly neededFor?: NeededStyle["feature"];
}

/** The part of a call that decides its endpoint. */
export type Asking = Pick<Call, "style"> & { readonly body: Pick<Call["body"], "json"> };

export interface AdaptedRoute extends Candidate {
  readonly endpoint?: undefined;
  readonly adapter: TextAdapter;
}

/** The routes of a call, and its maximum cost. */
export interface Plan<R extends Candidate = Route> {
  readonly routes: readonly R[];
  readonly estimate: NanoUsd;
  /** The preferred account, as long as it is available. */
  readonly home?: ReasoningHome;
}

/** A candidate of a model with its availability, for explaining a plan. */
export interface Prospect {
  readonly route: Route;
  /** The reason why it is skipped now. */
  readonly objection: UnavailableReason | "unpriced" | undefined;
}

export interface RouterSettings {
  /**
   * For models without a price. Default: `refuse` for callers with a quota or budget, else `warn`.
   */
  readonly unpriced: "allow" | "warn" | "refuse" | undefined;
  /** Reserved if neither the call nor the catalog has a maximum. */
  readonly assumedOutputTokens: number;
}

/** The router's look-up of models by client-visible name. */
export interface ModelTable {
  find(model: string): readonly Candidate[] | undefined;
  /** The known name that is nearest to an unknown one, among those that the key may use. */
  nearestTo(key: ApiKey, name: string): string | undefined;
  /** A retired model that the key could otherwise use. */
  retiredFor(key: ApiKey, name: string): Retired | undefined;
  /** Some model has limits. */
  readonly hasLimits: boolean;
}

export interface Retired {
  /** `2026-09-24`. */
  readonly since: string;
  /** The nearest served model of its kind. */
  readonly successor: string | undefined;
}

export class Router {
  readonly #table: ModelTable;
  readonly #health: Health;
  readonly #settings: RouterSettings;

  constructor(table: ModelTable, health: Health, settings: RouterSettings) {
    this.#table = table;
    this.#health = health;
    this.#settings = settings;
  }

  /** Channels in the order of attempts. Throws if no channel is available. */
  plan(
    call: Pick<Call, "key" | "facts" | "inputTokens" | "units"> &
      Asking &
      Partial<Pick<Call, "at">>,
  ): Plan {
    const { unknownValue } = call.facts;
    return unknownValue === undefined
      ? this.planFor(call, findRoute, noTextOf)
      : this.planFor(call, findUntranslated, unknownValue);
  }

  /** The same for any operation: a channel without a result of `toRoute` is left out. */
  planFor<
    R extends Candidate,
    C extends Pick<Served, "key" | "facts" | "inputTokens" | "units"> & Partial<Pick<Served, "at">>,
  >(
    call: C,
    toRoute: (candidate: Candidate, call: C) => R | undefined,
    refusal: string | GatewayError | ((candidates: readonly Candidate[]) => string),
  ): Plan<R> {
    const candidates = this.#candidates(call.key, call.facts.model);
    const all: R[] = [];
    let able = 0;
    for (const candidate of candidates) {
      const route = toRoute(candidate, call);
      if (route === undefined) continue;
      all.push(route);
      if (this.#health.mayTry(route)) able++;
    }
    if (all.length === 0) {
      if (refusal instanceof GatewayError) throw refusal;
      throw unableTo(typeof refusal === "string" ? refusal : refusal(candidates));
    }
    const ordered = able === all.length ? inOrder(all) : this.#withOthers(all, call);
    if (ordered.length === 0) throw allResting(all, this.#health, call.key);

    const routes: R[] = [];
    let estimate: NanoUsd | undefined;
    for (const each of ordered) {
      const route = pricedAt(each, call.at);
      const cost = this.#estimate(route, call);
      routes.push(route);
      if (estimate === undefined || cost > estimate) estimate = cost;
    }
    return { routes, estimate: estimate ?? nanoUsd(0) };
  }

  /** Unavailable routes that may still be tried as a last resort are kept apart. */
  #withOthers<R extends Candidate>(all: readonly R[], { key }: Pick<Served, "key">): readonly R[] {
    const able = all.filter((each) => this.#health.mayTry(each));
    const others = all.filter(
      (each) => !able.includes(each) && this.#health.mayTryAnyway(each, key),
    );
    return [...inOrder(able), ...inOrder(others)];
  }

  /**
   * All channels that have the model: those of a plan in its order, then the skipped ones.
   * `isBounded`: a quota or budget applies to the call.
   */
  survey(call: Pick<Call, "key" | "facts"> & Asking, isBounded = false): readonly Prospect[] {
    const seen = this.#known(call.key, call.facts.model).map((candidate) => ({
      candidate,
      objection: this.#isRefused(candidate, isBounded)
        ? ("unpriced" as const)
        : this.#health.unavailableReason(candidate),
    }));
    const objections = new Map(seen.map((each) => [each.candidate, each.objection]));
    const able = seen.filter((each) => each.objection === undefined);
    const others = seen.filter((each) => each.objection !== undefined);
    const prospects = [able, others]
      .flatMap((group) => inOrder(group.map((each) => each.candidate)))
      .flatMap((each) => {
        const route = findRoute(each, call);
        return route === undefined ? [] : { route, objection: objections.get(each) };
      });
    if (prospects.length === 0) throw unableTo("does not generate text");
    return prospects;
  }

  /**
   * The model's rate limits. Empty for a key without permission, so that a 429 does not reveal the
   * model.
   */
  limitsOn(key: ApiKey, model: string): readonly Limited[] {
    if (!this.#table.hasLimits) return NOT_LIMITED;
    const all = (this.#reach(key, model) ?? []).flatMap(({ limited }) => limited ?? []);
    return [...new Map(all.map((each) => [each.id, each])).values()];
  }

  /** The maximum size of a call on these routes; by default on all routes of its model. */
  sizeOf(
    { key, facts, inputTokens }: Pick<Served, "key" | "facts" | "inputTokens">,
    candidates: readonly Candidate[] = this.#reach(key, facts.model) ?? NO_CANDIDATES,
  ): CallSize {
    let cap = candidates.length === 0 ? Infinity : 0;
    for (const { traits } of candidates) cap = Math.max(cap, traits.maxOutputTokens ?? Infinity);
    const { maxOutputTokens, choices } = facts;
    const output = Math.min(maxOutputTokens ?? this.#settings.assumedOutputTokens, cap) * choices;
    return maxOutputTokens === undefined
      ? { known: clampCount(inputTokens), assumed: clampCount(output) }
      : { known: clampCount(inputTokens + output), assumed: 0 };
  }

  /** Whether the plan depends on the caller's quota or budget. */
  get asksForBounds(): boolean {
    return this.#settings.unpriced === undefined;
  }

  #candidates(key: ApiKey, model: string): readonly Candidate[] {
    const candidates = this.#known(key, model);
    if (this.#settings.unpriced !== "refuse") return candidates;
    const allowed = candidates.filter((each) => !isUnpriced(each));
    if (allowed.length > 0) return allowed;
    throw new UnpricedModel(model, candidates, "models without a price are refused here");
  }

  #isRefused(candidate: Candidate, isBounded: boolean): boolean {
    const rule = this.#settings.unpriced ?? (isBounded ? "refuse" : "warn");
    return rule === "refuse" && isUnpriced(candidate);
  }

  #known(key: ApiKey, model: string): readonly Candidate[] {
    const candidates = this.#reach(key, model);
    if (candidates === undefined) {
      throw unknownModel(key, model, this.#table);
    }
    const { group } = key;
    return group === undefined ? candidates : allInGroup(candidates, key, group, model);
  }

  #reach(key: ApiKey, model: string): readonly Candidate[] | undefined {
    return withinReach(key, model, this.#table.find(model));
  }

  /** Output tokens to reserve for a call on a route. */
  outputTokens({ traits }: Candidate, { facts }: Pick<Served, "facts">): number {
    const cap = traits.maxOutputTokens ?? Infinity;
    const each = Math.min(facts.maxOutputTokens ?? this.#settings.assumedOutputTokens, cap);
    return each * facts.choices;
  }

  #estimate(route: Candidate, call: Pick<Served, "facts" | "inputTokens" | "units">): NanoUsd {
    const { price = FREE, expected, region } = route;
    const asked = region === undefined ? call.facts.asked : { region, ...call.facts.asked };
    if (expected !== undefined) return estimateCost(expected, price, asked);
    const { units } = call;
    const inputTokens = call.inputTokens + (route.promptTokens ?? 0);
    const outputTokens = this.outputTokens(route, call);
    const size =
      units === undefined ? { inputTokens, outputTokens } : { ...units, inputTokens, outputTokens };
    const most = estimateCost(size, price, asked);
    return asked?.models === undefined ? most : maxOf([most, ...othersOf(route, size, asked)]);
  }
}

/** The estimates of other models that the request allows to answer. */
function othersOf(
  { priceOf }: Candidate,
  size: Parameters<typeof estimateCost>[0],
  asked: AskedFor,
): readonly NanoUsd[] {
  const prices = asked.models?.flatMap((model) => priceOf?.(model) ?? []) ?? [];
  return prices.map((each) => estimateCost(size, each, asked));
}

/** The route with the price at the start of the call. */
function pricedAt<R extends Candidate>(route: R, at: number | undefined): R {
  if (at === undefined || route.price?.variants === undefined) return route;
  return { ...route, price: priceAt(route.price, at) };
}

function allInGroup(
  candidates: readonly Candidate[],
  key: ApiKey,
  group: Group,
  model: string,
): readonly Candidate[] {
  return candidates.map((each) => knownInGroup(each, key, group, model));
}

interface InGroup {
  readonly model: string;
  readonly candidate: Candidate;
}

const inGroups = new WeakMap<Candidate, WeakMap<Group, InGroup>>();

/**
 * One object for all calls of a group: a candidate and a group are replaced as a whole if the
 * configuration changes. Only the last model is kept, since a pattern may have any number of them.
 */
function knownInGroup(candidate: Candidate, key: ApiKey, group: Group, model: string): Candidate {
  let ofGroups = inGroups.get(candidate);
  if (ofGroups === undefined) inGroups.set(candidate, (ofGroups = new WeakMap()));
  const known = ofGroups.get(group);
  if (known?.model === model) return known.candidate;
  const priced = inGroup(candidate, key, group, model);
  ofGroups.set(group, { model, candidate: priced });
  return priced;
}

/** The candidate with the price for the key's group. */
function inGroup(candidate: Candidate, key: ApiKey, group: Group, model: string): Candidate {
  const price = priceOn(candidate, key, model);
  const { priceOf } = candidate;
  const isOwn = price !== undefined && [...group.prices.values()].includes(price);
  return {
    ...candidate,
    price,
    ...(isOwn ? { hasOwnPrice: true } : {}),
    ...(priceOf && { priceOf: (other) => priceFor(group, priceOf(other), [other]) }),
  };
}

const NOT_LIMITED: readonly Limited[] = [];
const NO_CANDIDATES: readonly Candidate[] = [];

/** The price of a model for the holder of a key. */
export function priceOn(candidate: Candidate, { group }: ApiKey, model: string): Price | undefined {
  const { entry, base, aliasOf, price } = candidate;
  if (group === undefined) return price;
  const names = [model, entry, base, aliasOf].filter((name) => name !== undefined);
  return priceFor(group, price, names);
}

/** No known price. A model on the operator's own machine is free. */
export function isUnpriced({ price, provider, expected }: Candidate): boolean {
  if (price === undefined) return provider.isLocal !== true;
  return expected !== undefined && pricesOnlyOtherUnits(expected, price);
}

/** The model is refused because it has no price. */
export class UnpricedModel extends GatewayError {
  /** The first of its channels. */
  readonly candidate: Candidate | undefined;

  constructor(model: string, candidates: readonly Candidate[], why: string) {
    super(
      "forbidden",
      `The model '${shown(model)}' has no price, and ${why}. ` +
        "Ask the operator to set a price for it, or to set pricing.unpriced to allow.",
      { param: "model" },
    );
    [this.candidate] = candidates;
  }
}

/**
 * Upstreams exist, but all are unavailable. `waits`: cooldowns in ms; for some calls waiting does
 * not help.
 */
export function allResting(
  candidates: readonly Candidate[],
  health: Health,
  caller: Caller,
  waits?: ReadonlyMap<Channel, number>,
): GatewayError {
  if (candidates.every((one) => health.unavailableReason(one) === "disabled")) {
    return new GatewayError("unavailable", DISABLED);
  }
  const each = candidates.map((one) => waits?.get(one.channel) ?? health.waitMs([one], caller));
  const retryAfterMs = Math.min(...each);
  const causes = candidates.map((one) => health.cooldownCause(one, caller));
  const cause = causes.find((one) => one !== undefined);
  const message = `No upstream is available for this model: ${reasonFor(cause)}`;
  // An account that is refused stays refused until the operator corrects it, so no retry time is
  // given.
  if (causes.every((one) => one?.fault.blame === "operator")) {
    return new GatewayError("unavailable", message, { mayRetry: false });
  }
  return new GatewayError(
    "unavailable",
    message,
    retryAfterMs === Infinity ? {} : { retryAfterMs },
  );
}

const DISABLED =
  "No upstream is available for this model: the gateway disabled its channels, and tests them.";

/** In the gateway's words: the vendor's message belongs to another call, and may quote it. */
function reasonFor(cause: GatewayError | undefined): string {
  if (cause === undefined) return "each one is at its limit of calls.";
  const status = cause.vendor === undefined ? "" : ` (status ${cause.vendor.status})`;
  switch (cause.code) {
    case "upstream_auth":
      return `the upstream does not accept the gateway's account${status}.`;
    case "upstream_rate_limited":
      return `the upstream's rate limit is reached${status}.`;
    default:
      return `the upstream refused the last calls${status}.`;
  }
}

/**
 * The client's own style if the vendor has it and accepts the call in it, so that no translation is
 * needed.
 */
export function routeFor(candidate: Candidate, call: Asking): Route {
  const route = findRoute(candidate, call);
  if (route === undefined) throw unableTo(noTextOf([candidate]));
  return route;
}

function findRoute(candidate: Candidate, call: Asking): Route | undefined {
  const { provider, channel } = candidate;
  if (provider.adapter !== undefined) return { ...candidate, adapter: provider.adapter };
  const able = endpointsOf(candidate);
  const wanted = channel.style ?? call.style.id;
  const needed = mayNeedStyle(candidate) ? neededStyle(candidate, call, wanted) : undefined;
  const other = needed && endpointOf(able, needed.style);
  if (other !== undefined && needed !== undefined) {
    return { ...candidate, endpoint: other, neededFor: needed.feature };
  }
  const endpoint = endpointOf(able, wanted) ?? able[0];
  return endpoint && routeOver(candidate, endpoint);
}

function endpointOf(able: readonly TextEndpoint[], style: string): TextEndpoint | undefined {
  for (const endpoint of able) if (endpoint.style.id === style) return endpoint;
  return undefined;
}

const endpoints = new WeakMap<Candidate, readonly TextEndpoint[]>();

/** The endpoints that serve text of the candidate's model; none if it has only other results. */
function endpointsOf(candidate: Candidate): readonly TextEndpoint[] {
  let able = endpoints.get(candidate);
  if (able === undefined) endpoints.set(candidate, (able = findEndpoints(candidate)));
  return able;
}

function findEndpoints(candidate: Candidate): readonly TextEndpoint[] {
  if (isWordless(candidate)) return [];
  return candidate.provider.text.filter((each) => isAble(each, candidate));
}

function isAble({ serves, isOffered, style }: TextEndpoint, { channel, upstreamModel }: Candidate) {
  if (serves?.(upstreamModel) === false) return false;
  return isOffered?.(channel.options ?? {}) !== false || channel.style === style.id;
}

const routes = new WeakMap<Candidate, Map<TextEndpoint, WireRoute>>();

/** One object for all calls: a candidate is replaced as a whole if the configuration changes. */
function routeOver(candidate: Candidate, endpoint: TextEndpoint): WireRoute {
  let known = routes.get(candidate);
  if (known === undefined) routes.set(candidate, (known = new Map()));
  let route = known.get(endpoint);
  if (route === undefined) known.set(endpoint, (route = { ...candidate, endpoint }));
  return route;
}

/** Unknown features can only be served by a vendor of the client's own style. */
function findUntranslated(candidate: Candidate, call: Asking): Route | undefined {
  const route = findRoute(candidate, call);
  return route?.endpoint?.style.id === call.style.id ? route : undefined;
}

/** It serves images or videos only. */
function isWordless({ provider: { images, videos }, upstreamModel }: Candidate): boolean {
  const servesIt = (each: ImageEndpoint | VideoEndpoint): boolean =>
    each.isExclusive === true && each.serves?.(upstreamModel) === true;
  return images?.some(servesIt) === true || videos?.some(servesIt) === true;
}

/** Names the right endpoint for a client that requests text from a model without text output. */
function noTextOf(candidates: readonly Candidate[]): string {
  const makes = (kind: "images" | "videos"): boolean =>
    candidates.some(({ provider, upstreamModel }) =>
      provider[kind]?.some((each) => each.serves?.(upstreamModel) === true),
    );
  const said = "does not generate text";
  if (makes("images")) return `${said}: it makes pictures, at POST /v1/images/generations`;
  return makes("videos") ? `${said}: it makes videos, at POST /v1/videos` : said;
}

function unableTo(refusal: string): GatewayError {
  return new GatewayError("model_not_found", `This model ${refusal}.`, { param: "model" });
}

/** By priority; within one, drawn by weight without replacement. */
function inOrder<C extends Candidate>(candidates: readonly C[]): readonly C[] {
  if (candidates.length === 1) return candidates;
  const drawn = candidates.map((each) => ({
    each,
    // Sorting by exponential variates is a weighted draw.
    key: -Math.log(1 - Math.random()) / each.channel.weight,
  }));
  drawn.sort((a, b) => a.each.channel.priority - b.each.channel.priority || a.key - b.key);
  return drawn.map(({ each }) => each);
}

function maxOf(amounts: readonly NanoUsd[]): NanoUsd {
  return amounts.reduce((most, each) => (each > most ? each : most));
}

function shown(model: string): string {
  return model.length > 128 ? `${model.slice(0, 128)}...` : model;
}

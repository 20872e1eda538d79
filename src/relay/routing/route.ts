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
  priceAt,
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
import { neededStyle, type NeededStyle } from "./needed-style.ts";
import { withinReach } from "./reach.ts";
import type { TraitSources } from "./traits.ts";

/** A channel that can serve a model, with all that an attempt needs to know. */
export interface Candidate {
  readonly channel: Channel;
  readonly provider: Provider;
  readonly upstreamModel: string;
  /** Of a plan's: what its caller is charged. */
  readonly price: Price | undefined;
  /** The price is the operator's, for whatever answers under this name. */
  readonly hasOwnPrice?: true;
  /** What other models of its vendor cost, which may do a part of a call's work. */
  readonly priceOf?: PriceOf;
  /** Where the channel's address has calls processed, if the price may depend on it. */
  readonly region?: string;
  readonly traits: ModelTraits;
  /** Who said which of them. */
  readonly sources?: TraitSources;
  /** Endings of its name that it answers to. */
  readonly suffixes: readonly SuffixKind[];
  /** How the ending of the name that the caller used steers the model's reasoning. */
  readonly steering?: Reasoning;
  /** The name without that ending. */
  readonly base?: string;
  /** The name without the vendor's prefix that the caller put before it. */
  readonly entry?: string;
  /** The catalogue's id of the model, if the name is another of its vendor's ids for it. */
  readonly aliasOf?: string;
  /** Id of the provider whose model it is, as far as the catalogue knows. */
  readonly maker?: string;
  /** What the answer is expected to be charged by, where that is known better than for calls in general. */
  readonly expected?: Usage;
  /** Label of the one credential that will do: what is asked for belongs to its account. */
  readonly account?: string;
  /** The entry of the configuration whose limits the model is under. */
  readonly limited?: Limited;
}

/** A candidate for a call of a certain style. */
export type Route = WireRoute | AdaptedRoute;

export interface WireRoute extends Candidate {
  readonly endpoint: TextEndpoint;
  /** What of the call made it this endpoint, if that was not the caller's style. */
  readonly neededFor?: NeededStyle["feature"];
}

/** What of a call decides its endpoint. */
export type Asking = Pick<Call, "style"> & { readonly body: Pick<Call["body"], "json"> };

export interface AdaptedRoute extends Candidate {
  readonly endpoint?: undefined;
  readonly adapter: TextAdapter;
}

/** How a call will be served, and what it may cost at most. */
export interface Plan<R extends Candidate = Route> {
  readonly routes: readonly R[];
  readonly estimate: NanoUsd;
  /** The account to ask first, as long as it can be used. */
  readonly home?: ReasoningHome;
}

/** A channel that has the model, as somebody sees it who asks why a plan is what it is. */
export interface Prospect {
  readonly route: Route;
  /** Why it is passed over now. */
  readonly objection: UnavailableReason | "unpriced" | undefined;
}

export interface RouterSettings {
  /** Of models without a price. If unset: `refuse` for callers with a quota or budget, else `warn`. */
  readonly unpriced: "allow" | "warn" | "refuse" | undefined;
  /** Reserved when neither the call nor the catalogue names a maximum. */
  readonly assumedOutputTokens: number;
}

/** What the router looks up: models by the name callers use. */
export interface ModelTable {
  find(model: string): readonly Candidate[] | undefined;
  /** The name that a key may use, and that is nearest to one which nobody has. */
  nearestTo(key: ApiKey, name: string): string | undefined;
  /** What is known of a model that a key might use, had its vendor not stopped serving it. */
  retiredFor(key: ApiKey, name: string): Retired | undefined;
  /** Some model has limits. */
  readonly hasLimits: boolean;
}

export interface Retired {
  /** `2026-09-24`. */
  readonly since: string;
  /** The served model of its kind that comes nearest. */
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

  /** Channels in the order in which to try them. Throws when there is none. */
  plan(
    call: Pick<Call, "key" | "facts" | "inputTokens" | "units"> &
      Asking &
      Partial<Pick<Call, "at">>,
  ): Plan {
    const { unknownValue } = call.facts;
    if (unknownValue === undefined) {
      return this.planFor(call, (each) => findRoute(each, call), noTextOf);
    }
    return this.planFor(call, (each) => findUntranslated(each, call), unknownValue);
  }

  /** The same for calls of any kind: a channel for which `toRoute` has nothing is none for them. */
  planFor<R extends Candidate>(
    call: Pick<Served, "key" | "facts" | "inputTokens" | "units"> & Partial<Pick<Served, "at">>,
    toRoute: (candidate: Candidate) => R | undefined,
    refusal: string | GatewayError | ((candidates: readonly Candidate[]) => string),
  ): Plan<R> {
    const candidates = this.#candidates(call.key, call.facts.model);
    const all = candidates.flatMap((each) => toRoute(each) ?? []);
    if (all.length === 0) {
      if (refusal instanceof GatewayError) throw refusal;
      throw unableTo(typeof refusal === "string" ? refusal : refusal(candidates));
    }
    const able = all.filter((each) => this.#health.mayTry(each));
    const ordered = able.length === all.length ? inOrder(able) : this.#withOthers(able, all, call);
    if (ordered.length === 0) throw allResting(all, this.#health, call.key);

    const routes = ordered.map((route) => pricedAt(route, call.at));
    const estimates = routes.map((route) => this.#estimate(route, call));
    return { routes, estimate: maxOf(estimates) };
  }

  /** Those that a call turns to if nobody else answers come last. */
  #withOthers<R extends Candidate>(
    able: readonly R[],
    all: readonly R[],
    { key }: Pick<Served, "key">,
  ): readonly R[] {
    const others = all.filter(
      (each) => !able.includes(each) && this.#health.mayTryAnyway(each, key),
    );
    return [...inOrder(able), ...inOrder(others)];
  }

  /**
   * All channels that have the model: those of a plan in its order, then those
   * passed over. `isBounded`: a quota or budget binds the call.
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

  /** What the model is held to. None for a key that may not use it: it must not find out by being slowed down. */
  limitsOn(key: ApiKey, model: string): readonly Limited[] {
    if (!this.#table.hasLimits) return NOT_LIMITED;
    const all = (this.#reach(key, model) ?? []).flatMap(({ limited }) => limited ?? []);
    return [...new Map(all.map((each) => [each.id, each])).values()];
  }

  /** What a call may come to on any of these; on all that serve its model where nothing is said. */
  sizeOf(
    { key, facts, inputTokens }: Pick<Served, "key" | "facts" | "inputTokens">,
    candidates: readonly Candidate[] = this.#reach(key, facts.model) ?? [],
  ): CallSize {
    const caps = candidates.map(({ traits }) => traits.maxOutputTokens ?? Infinity);
    const cap = caps.length === 0 ? Infinity : Math.max(...caps);
    const { maxOutputTokens, choices } = facts;
    const output = Math.min(maxOutputTokens ?? this.#settings.assumedOutputTokens, cap) * choices;
    return maxOutputTokens === undefined
      ? { known: clampCount(inputTokens), assumed: clampCount(output) }
      : { known: clampCount(inputTokens + output), assumed: 0 };
  }

  /** Whether a quota or budget of the caller matters to what may be planned. */
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
    if (group === undefined) return candidates;
    return candidates.map((each) => inGroup(each, key, group, model));
  }

  #reach(key: ApiKey, model: string): readonly Candidate[] | undefined {
    return withinReach(key, model, this.#table.find(model));
  }

  /** What is reserved for the output of a call on a route. */
  outputTokens({ traits }: Candidate, { facts }: Pick<Served, "facts">): number {
    const cap = traits.maxOutputTokens ?? Infinity;
    const each = Math.min(facts.maxOutputTokens ?? this.#settings.assumedOutputTokens, cap);
    return each * facts.choices;
  }

  #estimate(route: Candidate, call: Pick<Served, "facts" | "inputTokens" | "units">): NanoUsd {
    const { price = FREE, expected, region, priceOf } = route;
    const asked = { ...(region === undefined ? {} : { region }), ...call.facts.asked };
    if (expected !== undefined) return estimateCost(expected, price, asked);
    const { inputTokens, units } = call;
    const size = { ...units, inputTokens, outputTokens: this.outputTokens(route, call) };
    const others = asked.models?.flatMap((model) => priceOf?.(model) ?? []) ?? [];
    return maxOf([price, ...others].map((each) => estimateCost(size, each, asked)));
  }
}

/** With the price for the moment at which the call began. */
function pricedAt<R extends Candidate>(route: R, at: number | undefined): R {
  if (at === undefined || route.price?.variants === undefined) return route;
  return { ...route, price: priceAt(route.price, at) };
}

/** With what the holder of a key in a group is charged. */
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

/** What the holder of a key is charged for a model of this name. */
export function priceOn(candidate: Candidate, { group }: ApiKey, model: string): Price | undefined {
  const { entry, base, aliasOf, price } = candidate;
  if (group === undefined) return price;
  const names = [model, entry, base, aliasOf].filter((name) => name !== undefined);
  return priceFor(group, price, names);
}

/** Nobody knows what it costs; a model on the operator's own machine costs nothing. */
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
 * There is an upstream that could answer, but not now. `waits`: in ms, of those
 * that are at a limit of their own; for some calls waiting does not help.
 */
export function allResting(
  candidates: readonly Candidate[],
  health: Health,
  caller: Caller,
  waits?: ReadonlyMap<Channel, number>,
): GatewayError {
  const each = candidates.map((one) => waits?.get(one.channel) ?? health.waitMs([one], caller));
  const retryAfterMs = Math.min(...each);
  const causes = candidates.map((one) => health.cooldownCause(one, caller));
  const cause = causes.find((one) => one !== undefined);
  const message = `No upstream is available for this model: ${reasonFor(cause)}`;
  // An account that is refused is refused until its owner mends it, which no client waits for.
  if (causes.every((one) => one?.fault.blame === "operator")) {
    return new GatewayError("unavailable", message, { mayRetry: false });
  }
  return new GatewayError(
    "unavailable",
    message,
    retryAfterMs === Infinity ? {} : { retryAfterMs },
  );
}

/** In our own words: the vendor's were about another call, and may repeat it. */
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

/** The caller's own style if the vendor speaks it and takes the call in it, so that nothing needs translating. */
export function routeFor(candidate: Candidate, call: Asking): Route {
  const route = findRoute(candidate, call);
  if (route === undefined) throw unableTo(noTextOf([candidate]));
  return route;
}

function findRoute(candidate: Candidate, call: Asking): Route | undefined {
  const { provider, channel } = candidate;
  if (provider.adapter !== undefined) return { ...candidate, adapter: provider.adapter };
  if (isWordless(candidate)) return undefined;
  const wanted = channel.style ?? call.style.id;
  const able = provider.text.filter((each) => isAble(each, candidate));
  const needed = neededStyle(candidate, call, wanted);
  const other = needed && able.find((each) => each.style.id === needed.style);
  if (other !== undefined && needed !== undefined) {
    return { ...candidate, endpoint: other, neededFor: needed.feature };
  }
  const endpoint = able.find((each) => each.style.id === wanted) ?? able[0];
  return endpoint && { ...candidate, endpoint };
}

function isAble({ serves, isOffered, style }: TextEndpoint, { channel, upstreamModel }: Candidate) {
  if (serves?.(upstreamModel) === false) return false;
  return isOffered?.(channel.options ?? {}) !== false || channel.style === style.id;
}

/** Only a vendor of the caller's own style can know what we do not. */
function findUntranslated(candidate: Candidate, call: Asking): Route | undefined {
  const route = findRoute(candidate, call);
  return route?.endpoint?.style.id === call.style.id ? route : undefined;
}

/** It only makes pictures or videos. */
function isWordless({ provider: { images, videos }, upstreamModel }: Candidate): boolean {
  const servesIt = (each: ImageEndpoint | VideoEndpoint): boolean =>
    each.isExclusive === true && each.serves?.(upstreamModel) === true;
  return images?.some(servesIt) === true || videos?.some(servesIt) === true;
}

/** Tells callers who ask a model for text where it is asked for what it makes. */
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
    // The order of exponential variates is a weighted draw.
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

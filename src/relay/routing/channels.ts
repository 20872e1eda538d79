import { editDistance } from "#lib/edit-distance.ts";
import type { Channel } from "#core/channel.ts";
import { estimateTokens } from "#core/count.ts";
import type { ApiKey } from "#core/key.ts";
import type { Limited } from "#core/limits.ts";
import type { Price } from "#core/money.ts";
import { priceOnChannel } from "#core/price-on-channel.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";
import { withinReach } from "./reach.ts";
import type { Catalog, Model, ModelKind, ModelOverride, ModelTraits } from "#core/model.ts";
import type { FoundModel } from "#core/found-model.ts";
import { isPattern, needsVendorList } from "#core/model-pattern.ts";
import { defined } from "#lib/values.ts";
import { poolOf } from "../failover/pools.ts";
import { isAtDefaultAddress } from "../failover/upstream-terms.ts";
import { priceOn, type Candidate, type ModelTable, type Retired } from "./route.ts";
import {
  matchOf,
  nameFor,
  PatternTable,
  type PatternKind,
  type PatternMatch,
} from "./pattern-table.ts";
import { readSuffixes } from "./suffix.ts";
import { mergeTraits, traitsOf, type TraitSources } from "./traits.ts";

interface ListedModel {
  readonly id: string;
  readonly owner: string;
  /** Unix seconds, if known. */
  readonly createdAt: number | undefined;
  readonly traits: ModelTraits;
  /** The price for the key. */
  readonly price: Price | undefined;
}

const MAX_COMPARED = 128;
const MAX_DIFFERENCES = 3;
/** Names of patterns that are kept; a client can invent any number. */
const MAX_MATCHED = 1_000;

/** All channels by the models they serve; read by each call, rebuilt on a change. */
export class Channels implements ModelTable {
  readonly #catalog: Catalog;
  #overrides: ReadonlyMap<string, ModelOverride>;
  #hasLimits = false;
  /** By pool: another address or credential may have other models. */
  readonly #discovered = new Map<string, ReadonlyMap<string, FoundModel>>();
  #channels: readonly Channel[] = [];
  /** What each channel offers: a list that arrives changes only that of its channel. */
  readonly #offered = new Map<Channel, readonly Offered[]>();
  #table: ReadonlyMap<string, readonly Candidate[]> = new Map();
  /** Names in the table that no list shows. */
  #unlisted: ReadonlySet<string> = new Set();
  #patterns = new PatternTable([]);
  /** Names that patterns stand for, and that no list has. */
  readonly #matched = new Map<
    string,
    { readonly kind: PatternKind; readonly candidates: readonly Candidate[] }
  >();
  /** Retired names that no channel serves. */
  #retired: ReadonlyMap<string, RetiredCandidate> = new Map();

  constructor(catalog: Catalog, overrides: ReadonlyMap<string, ModelOverride>) {
    this.#catalog = catalog;
    this.#overrides = overrides;
  }

  get hasLimits(): boolean {
    return this.#hasLimits;
  }

  get all(): readonly Channel[] {
    return this.#channels;
  }

  /** Running calls keep the channel, model and price of their plan. */
  replace(channels: readonly Channel[], overrides = this.#overrides): void {
    this.#channels = channels;
    this.#overrides = overrides;
    this.#offered.clear();
    const pools = new Set(channels.map(firstPool));
    for (const pool of this.#discovered.keys()) {
      if (!pools.has(pool)) this.#discovered.delete(pool);
    }
    this.#rebuild();
  }

  /** Sets the models that a channel's upstream lists. */
  discovered(channel: Channel, models: readonly FoundModel[]): void {
    const pool = firstPool(channel);
    this.#discovered.set(pool, new Map(models.map((each) => [each.id, each])));
    for (const each of this.#channels) {
      if (firstPool(each) === pool) this.#offered.delete(each);
    }
    this.#rebuild();
  }

  /**
   * An exact id takes precedence over a suffix, a suffix over a pattern, a pattern over a vendor
   * prefix, and that over the pattern `*`.
   */
  find(model: string): readonly Candidate[] | undefined {
    const exact = this.#table.get(model) ?? this.#findSteered(model);
    return exact ?? this.#findByName(model);
  }

  #findByName(model: string): readonly Candidate[] | undefined {
    if (this.#patterns.isEmpty) return this.#findPrefixed(model);
    return (
      this.#findMatching(model, "specific") ??
      this.#findPrefixed(model) ??
      this.#findMatching(model, "any")
    );
  }

  /** Kept, because a call looks its model up several times. */
  #findMatching(model: string, kind: PatternKind): readonly Candidate[] | undefined {
    const known = this.#matched.get(model);
    if (known?.kind === kind) return known.candidates;
    const candidates = this.#patterns.match(model, kind).map((each) => this.#matching(each, model));
    if (candidates.length === 0) return undefined;
    if (this.#matched.size >= MAX_MATCHED) this.#matched.clear();
    this.#matched.set(model, { kind, candidates });
    return candidates;
  }

  #matching({ pattern, upstreamModel, plainName }: PatternMatch, name: string): Candidate {
    const offer = { name: plainName ?? name, upstreamModel };
    const candidate = { ...this.#candidate(pattern.channel, offer), pattern: pattern.text };
    return plainName === undefined
      ? candidate
      : { ...candidate, aliasOf: candidate.aliasOf ?? plainName };
  }

  /** All names with their candidates, including unlisted ones. */
  get models(): ReadonlyMap<string, readonly Candidate[]> {
    return this.#table;
  }

  /** Whether model lists show the name. */
  isListed(name: string): boolean {
    return this.#table.has(name) && !this.#unlisted.has(name);
  }

  /** A candidate for a model on a channel, even if it is not in the table. */
  candidateOn(channel: Channel, model: string): Candidate {
    const { models, modelPrefix } = channel;
    const names = models.kind === "listed" ? models.upstreamNames : undefined;
    const prefix = `${modelPrefix ?? ""}/`;
    const isPrefixed =
      modelPrefix !== undefined && model.startsWith(prefix) && names?.has(model) !== true;
    const name = isPrefixed ? model.slice(prefix.length) : model;
    const exact = names?.get(name);
    const [match] =
      exact !== undefined || !needsVendorList(models)
        ? []
        : new PatternTable([channel]).match(model);
    if (match !== undefined) return this.#matching(match, model);
    return this.#candidate(channel, { name, upstreamModel: exact ?? name });
  }

  /** The models that a key may use, sorted by name. */
  list(key: ApiKey): readonly ListedModel[] {
    const names = [...this.#table.keys()].filter((name) => !this.#unlisted.has(name));
    return names.sort().flatMap((id) => this.describe(key, id) ?? []);
  }

  /** The known name that is nearest to an unknown one, among those that the key may use. */
  nearestTo(key: ApiKey, name: string): string | undefined {
    const sought = name.slice(0, MAX_COMPARED).toLowerCase();
    let least = Math.min(MAX_DIFFERENCES, Math.floor(sought.length / 4)) + 1;
    let nearest: string | undefined;
    for (const [known, candidates] of this.#table) {
      if (this.#unlisted.has(known)) continue;
      const distance = editDistance(sought, known.toLowerCase(), least);
      if (distance >= least || withinReach(key, known, candidates) === undefined) continue;
      nearest = known;
      least = distance;
    }
    return nearest;
  }

  /** Retired models that some channel would otherwise serve. */
  get retired(): readonly {
    readonly name: string;
    readonly channel: string;
    readonly since: string;
  }[] {
    return [...this.#retired].map(([name, { candidate, since }]) => ({
      name,
      channel: candidate.channel.name,
      since,
    }));
  }

  retiredFor(key: ApiKey, name: string): Retired | undefined {
    const found = this.#retired.get(name) ?? this.#retired.get(name.slice(name.indexOf("/") + 1));
    if (found === undefined) return undefined;
    const { candidate, since, replacement } = found;
    if (withinReach(key, name, [candidate]) === undefined) return undefined;
    const isServed =
      replacement !== undefined &&
      withinReach(key, replacement, this.find(replacement)) !== undefined;
    return { since, successor: isServed ? replacement : this.#nearestOfKind(key, candidate) };
  }

  /** Models of the same maker come first. */
  #nearestOfKind(key: ApiKey, { traits, maker, upstreamModel }: Candidate): string | undefined {
    let nearest: string | undefined;
    let least = Infinity;
    for (const [name, candidates] of this.#table) {
      const [first] = candidates;
      if (first === undefined || first.traits.kind !== traits.kind) continue;
      if (this.#unlisted.has(name)) continue;
      if (withinReach(key, name, candidates) === undefined) continue;
      const distance = editDistance(upstreamModel, name.slice(0, MAX_COMPARED), MAX_COMPARED);
      const rank = distance + (first.maker === maker ? 0 : MAX_COMPARED);
      if (rank >= least) continue;
      nearest = name;
      least = rank;
    }
    return nearest;
  }

  describe(key: ApiKey, id: string): ListedModel | undefined {
    const found = this.#table.get(id) ?? this.#findByName(id);
    const [first] = withinReach(key, id, found) ?? [];
    if (first === undefined) return undefined;
    const model = this.#find(first.provider, first.upstreamModel);
    return {
      id,
      owner: first.provider.id,
      createdAt: model?.createdAt ?? this.#foundOn(first.channel, first.upstreamModel)?.createdAt,
      traits: first.traits,
      price: priceOn(first, key, id),
    };
  }

  #find(provider: Provider, upstreamModel: string): Model | undefined {
    const id = provider.knownAs?.(upstreamModel) ?? upstreamModel;
    return this.#catalog.findModel(provider.id, id);
  }

  #findSteered(name: string): readonly Candidate[] | undefined {
    for (const { base, kind, steering } of readSuffixes(name)) {
      const able = this.#table.get(base)?.filter(({ suffixes }) => suffixes.includes(kind));
      if (able !== undefined && able.length > 0)
        return able.map((each) => ({ ...each, steering, base }));
    }
    return undefined;
  }

  /**
   * `openai/gpt-4o-mini`: a model of that vendor's channels or, if none has it, of that maker's.
   */
  #findPrefixed(name: string): readonly Candidate[] | undefined {
    const end = name.indexOf("/");
    if (end <= 0) return undefined;
    const prefix = name.slice(0, end);
    const entry = name.slice(end + 1);
    const found = this.#table.get(entry) ?? this.#findSteered(entry);
    if (prefix === RESOURCE_PREFIX) {
      return found?.map((each) => ({ ...each, entry })) ?? this.#findPrefixed(entry);
    }
    const own = found?.filter(({ provider }) => isCalled(provider, prefix)) ?? [];
    const able = own.length > 0 ? own : (found?.filter((each) => isMadeBy(each, prefix)) ?? []);
    return able.length === 0 ? undefined : able.map((each) => ({ ...each, entry }));
  }

  #rebuild(): void {
    this.#hasLimits = [...this.#overrides.values()].some(({ limits }) => limits !== undefined);
    const table = new Map<string, Candidate[]>();
    const guesses = new Map<string, Candidate[]>();
    const listed = new Set<string>();
    const retired = new Map<string, RetiredCandidate>();
    for (const channel of this.#channels) {
      for (const { offer, candidate, names } of this.#offeredBy(channel)) {
        if (offer.retired !== undefined) {
          retired.set(offer.name, {
            candidate,
            since: offer.retired,
            ...(offer.replacement !== undefined && { replacement: offer.replacement }),
          });
          continue;
        }
        const into = offer.isGuess === true ? guesses : table;
        for (const [name, named] of names) {
          const others = into.get(name);
          if (others === undefined) into.set(name, [named]);
          else others.push(named);
          if (offer.isUnlisted !== true) listed.add(name);
        }
      }
    }
    this.#patterns = new PatternTable(this.#channels);
    this.#matched.clear();
    this.#addMatching(table, listed);
    // A channel whose list lacks a model serves it only if no other channel has it.
    for (const [name, each] of guesses) if (!table.has(name)) table.set(name, each);
    this.#table = table;
    this.#retired = retired;
    this.#unlisted = new Set([...table.keys()].filter((name) => !listed.has(name)));
  }

  #offeredBy(channel: Channel): readonly Offered[] {
    let offered = this.#offered.get(channel);
    if (offered === undefined) {
      offered = Array.from(this.#offersOf(channel), (offer) => {
        const candidate = this.#candidate(channel, offer);
        return { offer, candidate, names: namedBy(channel, candidate, offer) };
      });
      this.#offered.set(channel, offered);
    }
    return offered;
  }

  /** Adds the names of patterns for the models that their vendors list. */
  #addMatching(table: Map<string, Candidate[]>, listed: Set<string>): void {
    const exact = new Set(table.keys());
    for (const pattern of this.#patterns.all) {
      for (const offer of this.#discoveredOffers(pattern.channel)) {
        if (offer.retired !== undefined || offer.isGuess === true) continue;
        const name = nameFor(pattern, offer.name);
        if (name === undefined || exact.has(name)) continue;
        if (this.#patterns.lengthFor(name) > pattern.full.length) continue;
        const match = matchOf(pattern, name);
        if (match === undefined) continue;
        const candidate = this.#matching(match, name);
        const others = table.get(name);
        if (others === undefined) table.set(name, [candidate]);
        else others.push(candidate);
        if (offer.isUnlisted !== true) listed.add(name);
      }
    }
  }

  #offersOf(channel: Channel): Iterable<Offer> {
    const { models } = channel;
    if (models.kind === "discover") return this.#discoveredOffers(channel);
    return [...models.upstreamNames]
      .filter(([name]) => !isPattern(name))
      .map(([name, upstreamModel]) => ({ name, upstreamModel }));
  }

  /**
   * The upstream's list together with the catalog's models of the vendor, each with its aliases.
   * Few vendors list every id that they accept.
   */
  #discoveredOffers(channel: Channel): Iterable<Offer> {
    const list = this.#discovered.get(firstPool(channel));
    const offers = new Map<string, Offer>();
    const add = (name: string, more: Partial<Offer> = {}): void => {
      if (!offers.has(name)) offers.set(name, { name, upstreamModel: name, ...more });
    };
    const provider = findProvider(channel.provider);
    const rows = this.#knownModels(channel.provider, provider);
    const owners = new Map(rows.flatMap((row) => aliasesOf(row).map((id) => [id, row.id])));
    for (const id of list?.keys() ?? []) {
      const aliasOf = owners.get(id);
      add(id, aliasOf === undefined ? {} : { aliasOf });
    }
    for (const row of rows) {
      const others = aliasesOf(row);
      const isListed = offers.has(row.id) || others.some((id) => offers.has(id));
      const isGuess = list !== undefined && !isListed;
      const retired = isListed || !isVendors(channel, provider) ? undefined : row.retired;
      if (retired !== undefined) {
        const { replacement } = row;
        const end = { retired, ...(replacement !== undefined && { replacement }) };
        for (const id of [row.id, ...others]) add(id, end);
        continue;
      }
      // At an address other than the vendor's own, the models are often different.
      add(row.id, { isGuess, isUnlisted: isGuess && !isVendors(channel, provider) });
      for (const id of others) add(id, { isGuess, aliasOf: row.id, isUnlisted: true });
    }
    return offers.values();
  }

  /** The served models among those of the catalog and of the provider. */
  #knownModels(
    id: string,
    provider: Provider | undefined,
  ): readonly Pick<Model, "id" | "aliases" | "retired" | "replacement">[] {
    const endpoints = endpointsOf(provider);
    const isServed = ({ id: model, kind }: Model): boolean =>
      endpoints[kind]?.some((each) => each.serves?.(model) ?? true) ?? false;
    const rows = this.#catalog.listModels(id).filter(isServed);
    const ids = new Set(rows.flatMap((row) => [row.id, ...aliasesOf(row)]));
    const declared = provider?.models?.filter((each) => !ids.has(each)) ?? [];
    return [...rows, ...declared.map((each) => ({ id: each }))];
  }

  #sourcesOf(
    channel: Channel,
    provider: Provider,
    upstreamModel: string,
    override: ModelOverride | undefined,
  ): TraitSources {
    const counting = this.#catalog.findCounting(upstreamModel);
    return defined({
      configuration: this.#configured(provider, override),
      catalogue: traitsOf(this.#find(provider, upstreamModel)),
      "vendor's list": this.#foundOn(channel, upstreamModel)?.traits,
      family: { ...this.#catalog.findFamily(upstreamModel), ...(counting && { counting }) },
    });
  }

  /** Price of another model of the vendor; undefined if it is the called one. */
  #priceOfOther(provider: Provider, model: string, called: Model | undefined): Price | undefined {
    const other = this.#find(provider, model);
    if (other === undefined || other.id === called?.id || provider.isLocal) return undefined;
    return (this.#overrides.get(model) ?? this.#overrides.get(other.id))?.price ?? other.price;
  }

  /** The operator's traits, including those of a model named in `like`. */
  #configured(provider: Provider, override: ModelOverride | undefined): ModelTraits | undefined {
    if (override === undefined) return undefined;
    const { like, contextTokens, maxOutputTokens } = override;
    const model = like === undefined ? undefined : this.#find(provider, like);
    const family = like === undefined ? undefined : this.#catalog.findFamily(like);
    const sources = defined({ catalogue: traitsOf(model), family: traitsOf(family) });
    // Retirement dates are not inherited.
    const { deprecatedAt: _deprecated, retiresAt: _retires, ...traits } = mergeTraits(sources);
    return {
      ...traits,
      ...defined({ contextTokens, maxOutputTokens }),
    };
  }

  #foundOn(channel: Channel, model: string): FoundModel | undefined {
    return this.#discovered.get(firstPool(channel))?.get(model);
  }

  /** Names of one entry share its limits. */
  #limitedBy(entry: string): Limited | undefined {
    const limits = this.#overrides.get(entry)?.limits;
    return limits && { id: `model:${entry}`, limits };
  }

  #candidate(channel: Channel, { name, upstreamModel, aliasOf }: Offer): Candidate {
    const provider = findProvider(channel.provider);
    if (provider === undefined) throw new Error(`No provider is called '${channel.provider}'.`);
    const entries = [name, upstreamModel, ...(aliasOf === undefined ? [] : [aliasOf])];
    const entry = entries.find((each) => this.#overrides.has(each));
    const override = entry === undefined ? undefined : this.#overrides.get(entry);
    const [limited] = entries.flatMap((each) => this.#limitedBy(each) ?? []);
    const known = this.#find(provider, upstreamModel);
    const sources = this.#sourcesOf(channel, provider, upstreamModel, override);
    return {
      channel,
      provider,
      upstreamModel,
      price: priceOnChannel(
        channel,
        override?.price ?? (provider.isLocal ? undefined : known?.price),
      ),
      ...(override?.price === undefined ? {} : { hasOwnPrice: true as const }),
      ...defined({ region: provider.regionOf?.(channel) }),
      priceOf: (model) => priceOnChannel(channel, this.#priceOfOther(provider, model, known)),
      traits: mergeTraits(sources),
      sources,
      ...defined({ promptTokens: promptTokensOf(channel, known) }),
      suffixes: known?.suffixes ?? [],
      ...(known && { maker: known.owner }),
      ...(limited === undefined ? {} : { limited }),
      ...(aliasOf === undefined ? {} : { aliasOf }),
    };
  }
}

/** A name under which a channel serves a model. */
interface Offer {
  readonly name: string;
  readonly upstreamModel: string;
  /** The catalog's id, if this name is the vendor's alias for it. */
  readonly aliasOf?: string;
  /** Served, but left out of model lists. */
  readonly isUnlisted?: boolean;
  /** The vendor's list does not contain it. */
  readonly isGuess?: boolean;
  /** The date since which the vendor does not serve it, by the catalog and its own list. */
  readonly retired?: string;
  /** The replacement that the maker names. */
  readonly replacement?: string;
}

interface Offered {
  readonly offer: Offer;
  readonly candidate: Candidate;
  readonly names: readonly (readonly [string, Candidate])[];
}

/** The names of an offer. Permissions and prices of the plain name include the prefixed one. */
function namedBy(
  { modelPrefix }: Channel,
  candidate: Candidate,
  { name }: Offer,
): readonly (readonly [string, Candidate])[] {
  if (modelPrefix === undefined) return [[name, candidate]];
  const prefixed = { ...candidate, aliasOf: candidate.aliasOf ?? name };
  return [
    [name, candidate],
    [`${modelPrefix}/${name}`, prefixed],
  ];
}

function promptTokensOf({ systemPrompt }: Channel, known: Model | undefined): number | undefined {
  const isText = known === undefined || known.kind === "chat";
  return systemPrompt === undefined || !isText ? undefined : estimateTokens(systemPrompt);
}

interface RetiredCandidate {
  readonly candidate: Candidate;
  readonly since: string;
  readonly replacement?: string;
}

/** At the vendor's own address. */
function isVendors(channel: Channel, provider: Provider | undefined): boolean {
  return provider?.baseUrl !== undefined && isAtDefaultAddress({ channel, provider });
}

/** Prefix of model names in the native style, for all vendors. */
const RESOURCE_PREFIX = "models";

function aliasesOf({ aliases = [] }: Pick<Model, "aliases">): readonly string[] {
  return aliases;
}

function isCalled({ id, prefixes = [] }: Provider, prefix: string): boolean {
  return prefix === id || prefixes.includes(prefix);
}

function isMadeBy({ maker }: Candidate, prefix: string): boolean {
  const provider = maker === undefined ? undefined : findProvider(maker);
  return provider !== undefined && isCalled(provider, prefix);
}

function firstPool(channel: Channel): string {
  return poolOf(channel, channel.credentials[0]);
}

/** The provider's endpoints by kind of model. */
function endpointsOf(provider: Provider | undefined): Endpoints {
  return {
    chat: provider?.adapter === undefined ? provider?.text : ANY_MODEL,
    embedding: provider?.embeddings,
    rerank: provider?.rerank,
    image: provider?.images,
    video: provider?.videos,
    speech: sharedOf(provider, "speech"),
    transcription: sharedOf(provider, "transcriptions"),
    moderation: sharedOf(provider, "moderations"),
  };
}

type Endpoints = Readonly<Record<ModelKind, readonly Serving[] | undefined>>;

const ANY_MODEL: readonly Serving[] = [{}];

interface Serving {
  serves?(model: string): boolean;
}

function sharedOf(provider: Provider | undefined, style: string): readonly Serving[] {
  return provider?.shared?.filter((each) => each.style.id === style) ?? [];
}

import type { Channel } from "#core/channel.ts";
import type { ApiKey } from "#core/key.ts";
import type { Limited } from "#core/limits.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";
import { withinReach } from "./reach.ts";
import type { Catalog, Model, ModelKind, ModelOverride, ModelTraits } from "#core/model.ts";
import { poolOf } from "./pools.ts";
import type { Candidate, ModelTable } from "./route.ts";
import { readSuffixes } from "./suffix.ts";

export interface ListedModel {
  readonly id: string;
  readonly owner: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly model: Model | undefined;
}

/** Every channel, and which of them serves what; looked up on each call, rebuilt when something changes. */
export class Channels implements ModelTable {
  readonly #catalog: Catalog;
  #overrides: ReadonlyMap<string, ModelOverride>;
  #hasLimits = false;
  /** By pool: another address or credential may have other models. */
  readonly #discovered = new Map<string, readonly string[]>();
  #channels: readonly Channel[] = [];
  #table: ReadonlyMap<string, readonly Candidate[]> = new Map();

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

  /** Calls under way keep the channel, the model and the price that they were planned with. */
  replace(channels: readonly Channel[], overrides = this.#overrides): void {
    this.#channels = channels;
    this.#overrides = overrides;
    const pools = new Set(channels.map(firstPool));
    for (const pool of this.#discovered.keys()) {
      if (!pools.has(pool)) this.#discovered.delete(pool);
    }
    this.#rebuild();
  }

  /** What a channel's upstream says it serves. */
  discovered(channel: Channel, models: readonly string[]): void {
    this.#discovered.set(firstPool(channel), models);
    this.#rebuild();
  }

  /** An id as it stands wins over a reading of its ending. */
  find(model: string): readonly Candidate[] | undefined {
    return this.#table.get(model) ?? this.#findSteered(model);
  }

  /** Every name, and who serves it. */
  get models(): ReadonlyMap<string, readonly Candidate[]> {
    return this.#table;
  }

  /** How a channel would serve a model, whether or not it is in the table. */
  candidateOn(channel: Channel, model: string): Candidate {
    const { models } = channel;
    const upstream = models.kind === "listed" ? models.upstreamNames.get(model) : undefined;
    return this.#candidate(channel, model, upstream ?? model);
  }

  /** What a key may use, in the order of names. */
  list(key: ApiKey): readonly ListedModel[] {
    return [...this.#table.keys()].sort().flatMap((id) => this.describe(key, id) ?? []);
  }

  describe(key: ApiKey, id: string): ListedModel | undefined {
    const [first] = withinReach(key, id, this.#table.get(id)) ?? [];
    if (first === undefined) return undefined;
    const model = this.#find(first.provider, first.upstreamModel);
    return { id, owner: first.provider.id, createdAt: model?.createdAt ?? 0, model };
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

  #rebuild(): void {
    this.#hasLimits = [...this.#overrides.values()].some(({ limits }) => limits !== undefined);
    const table = new Map<string, Candidate[]>();
    for (const channel of this.#channels) {
      for (const [name, upstreamModel] of this.#modelsOf(channel)) {
        const candidate = this.#candidate(channel, name, upstreamModel);
        const others = table.get(name);
        if (others === undefined) table.set(name, [candidate]);
        else others.push(candidate);
      }
    }
    this.#table = table;
  }

  /** Until a channel's upstream told its models, the catalogue's for that vendor are taken. */
  #modelsOf(channel: Channel): Iterable<readonly [string, string]> {
    const { provider, models } = channel;
    if (models.kind === "listed") return models.upstreamNames;
    const ids =
      this.#discovered.get(firstPool(channel)) ??
      this.#catalog
        .listModels(provider)
        .filter((model) => isServed(findProvider(provider), model))
        .map((each) => each.id);
    return ids.map((id) => [id, id] as const);
  }

  /** Names that lead to one entry share its limits. */
  #limitedBy(entry: string): Limited | undefined {
    const limits = this.#overrides.get(entry)?.limits;
    return limits && { id: `model:${entry}`, limits };
  }

  #candidate(channel: Channel, name: string, upstreamModel: string): Candidate {
    const provider = findProvider(channel.provider);
    if (provider === undefined) throw new Error(`No provider is called '${channel.provider}'.`);
    const override = this.#overrides.get(name) ?? this.#overrides.get(upstreamModel);
    const limited = this.#limitedBy(name) ?? this.#limitedBy(upstreamModel);
    const known = this.#find(provider, upstreamModel);
    const counting = known?.counting ?? this.#catalog.findCounting(upstreamModel);
    const family = this.#catalog.findFamily(upstreamModel);
    return {
      channel,
      provider,
      upstreamModel,
      price: override?.price ?? (provider.isLocal ? undefined : known?.price),
      traits: { ...family, ...known, ...(counting && { counting }), ...limitsOf(override) },
      suffixes: known?.suffixes ?? [],
      ...(limited === undefined ? {} : { limited }),
    };
  }
}

function firstPool(channel: Channel): string {
  return poolOf(channel, channel.credentials[0]);
}

/** Whether there is a place where a vendor's model may be asked for what it does. */
function isServed(provider: Provider | undefined, { id, kind }: Model): boolean {
  if (kind === "chat" && provider?.adapter !== undefined) return true;
  const endpoints: Readonly<Record<ModelKind, readonly Serving[] | undefined>> = {
    chat: provider?.text,
    embedding: provider?.embeddings,
    rerank: provider?.rerank,
    image: provider?.images,
    video: provider?.videos,
    speech: sharedOf(provider, "speech"),
    transcription: sharedOf(provider, "transcriptions"),
    moderation: sharedOf(provider, "moderations"),
  };
  return (endpoints[kind] ?? []).some((each) => each.serves?.(id) ?? true);
}

interface Serving {
  serves?(model: string): boolean;
}

function sharedOf(provider: Provider | undefined, style: string): readonly Serving[] {
  return provider?.shared?.filter((each) => each.style.id === style) ?? [];
}

function limitsOf(override: ModelOverride | undefined): ModelTraits {
  const { contextTokens, maxOutputTokens } = override ?? {};
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

import type { Channel } from "#core/channel.ts";
import { mayUse, type ApiKey } from "#core/key.ts";
import type { Limited } from "#core/limits.ts";
import type { Catalog, Model, ModelOverride, ModelTraits } from "#core/model.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";
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
  readonly #overrides: ReadonlyMap<string, ModelOverride>;
  readonly #hasLimits: boolean;
  readonly #discovered = new Map<string, readonly string[]>();
  #channels: readonly Channel[] = [];
  #table: ReadonlyMap<string, readonly Candidate[]> = new Map();

  constructor(catalog: Catalog, overrides: ReadonlyMap<string, ModelOverride>) {
    this.#catalog = catalog;
    this.#overrides = overrides;
    this.#hasLimits = [...overrides.values()].some(({ limits }) => limits !== undefined);
  }

  get hasLimits(): boolean {
    return this.#hasLimits;
  }

  get all(): readonly Channel[] {
    return this.#channels;
  }

  replace(channels: readonly Channel[]): void {
    this.#channels = channels;
    this.#rebuild();
  }

  /** What a channel's upstream says it serves. */
  discovered(channel: Channel, models: readonly string[]): void {
    this.#discovered.set(channel.name, models);
    this.#rebuild();
  }

  /** An id as it stands wins over a reading of its ending. */
  find(model: string): readonly Candidate[] | undefined {
    return this.#table.get(model) ?? this.#findSteered(model);
  }

  /** What a key may use, in the order of names. */
  list(key: ApiKey): readonly ListedModel[] {
    return [...this.#table.keys()]
      .filter((id) => mayUse(key, id))
      .sort()
      .flatMap((id) => this.describe(key, id) ?? []);
  }

  describe(key: ApiKey, id: string): ListedModel | undefined {
    const [first] = this.#table.get(id) ?? [];
    if (first === undefined || !mayUse(key, id)) return undefined;
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
  #modelsOf({ name, provider, models }: Channel): Iterable<readonly [string, string]> {
    if (models.kind === "listed") return models.upstreamNames;
    const ids =
      this.#discovered.get(name) ??
      this.#catalog
        .listModels(provider)
        .filter((each) => each.kind === "chat")
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
    return {
      channel,
      provider,
      upstreamModel,
      price: override?.price ?? (provider.isLocal ? undefined : known?.price),
      traits: { ...known, ...(counting && { counting }), ...limitsOf(override) },
      suffixes: known?.suffixes ?? [],
      ...(limited === undefined ? {} : { limited }),
    };
  }
}

function limitsOf(override: ModelOverride | undefined): ModelTraits {
  const { contextTokens, maxOutputTokens } = override ?? {};
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

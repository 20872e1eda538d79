import type { CatalogFile, KnownModel } from "./catalog-file.ts";

export interface ModelIndex {
  /** Finds by id or alias; a provider that does not list it uses the first provider that does. */
  findModel(provider: string, id: string): KnownModel | undefined;
  listModels(provider: string): readonly KnownModel[];
}

/** `files`: in the search order for an id that its own provider does not list. */
export function indexModels(files: readonly CatalogFile[]): ModelIndex {
  const models = new Map(files.map((file) => [file.provider, file.models]));
  const byProvider = new Map(files.map((file) => [file.provider, byId(file.models)]));
  const anywhere = byId(files.flatMap((file) => file.models));
  return {
    findModel: (provider, id) => byProvider.get(provider)?.get(id) ?? anywhere.get(id),
    listModels: (provider) => models.get(provider) ?? [],
  };
}

/** The first model with an id keeps it. */
function byId(models: readonly KnownModel[]): ReadonlyMap<string, KnownModel> {
  const found = new Map<string, KnownModel>();
  for (const model of models) {
    for (const id of [model.id, ...model.aliases]) {
      if (!found.has(id)) found.set(id, model);
    }
  }
  return found;
}

import type { StoredUpdates, UpdatedRow, UpdatedRowStore } from "#core/catalog-update.ts";
import type { Catalog, Model } from "#core/model.ts";
import type { Clock } from "#lib/clock.ts";
import type { CatalogFile } from "./catalog-file.ts";
import { findCounting } from "./families.ts";
import { SHIPPED_FILES, SHIPPED_INDEX } from "./index.ts";
import { indexModels, type ModelIndex } from "./index-models.ts";
import { asOf, overlay } from "./overlay.ts";
import { findFamily } from "./request-rules.ts";

interface LiveCatalogDeps {
  readonly store: Pick<UpdatedRowStore, "list">;
  readonly clock: Pick<Clock, "now">;
  /** Called after each load that ignored updated rows, because this version cannot read them. */
  onUnreadable(rows: readonly UpdatedRow[]): void;
}

/** The shipped catalogue with the stored updates, as of the last load. */
export class LiveCatalog implements Catalog {
  readonly #deps: LiveCatalogDeps;
  #index: ModelIndex = SHIPPED_INDEX;
  #updates: StoredUpdates = { rows: [], date: undefined };

  constructor(deps: LiveCatalogDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    const updates = await this.#deps.store.list();
    const { files, unreadable } = overlay(SHIPPED_FILES, updates.rows);
    const today = new Date(this.#deps.clock.now()).toISOString().slice(0, 10);
    this.#index = indexModels(asOf(today, files));
    this.#updates = updates;
    if (unreadable.length > 0) this.#deps.onUnreadable(unreadable);
  }

  /** The updates in force. */
  get updates(): StoredUpdates {
    return this.#updates;
  }

  findModel(provider: string, id: string): Model | undefined {
    return this.#index.findModel(provider, id);
  }

  listModels(provider: string): readonly Model[] {
    return this.#index.listModels(provider);
  }

  findCounting(id: string): ReturnType<Catalog["findCounting"]> {
    return findCounting(id);
  }

  findFamily(id: string): ReturnType<Catalog["findFamily"]> {
    return findFamily(id);
  }
}

/** The newest date of the files and their rows. */
export function newestDate(files: readonly CatalogFile[]): string {
  const dates = files.flatMap(({ models }) => models.map(({ date }) => date));
  return dates.reduce((newest, date) => (date > newest ? date : newest), "");
}

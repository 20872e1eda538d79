import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { Entry } from "./entry.ts";

/** A response that can be asked for again. */
export interface StoredResponse {
  readonly id: string;
  readonly owner: string;
  /** Everything that the model was given, and what it made of it. */
  readonly input: readonly Entry[];
  readonly output: readonly Entry[];
  /** As it stands now. */
  body(): JsonObject;
  readonly background?: BackgroundRun;
}

/** A response that is made while nobody waits for it. */
export interface BackgroundRun {
  readonly isStream: boolean;
  /** Nothing happens to one that has ended. */
  cancel(): void;
  events(): readonly JsonObject[];
}

/** Responses and items of all callers; nobody sees those of another. */
export interface ResponseStore {
  add(response: StoredResponse): void;
  find(id: string, owner: string): StoredResponse | undefined;
  findItem(id: string, owner: string): Entry | undefined;
  remove(response: StoredResponse): void;
}

export function responseStore(): ResponseStore {
  const responses = new Map<string, StoredResponse>();
  const items = new Map<string, Entry>();

  function remove({ id, owner, output }: StoredResponse): void {
    responses.delete(id);
    for (const entry of output) items.delete(`${owner} ${entry.id}`);
  }

  return {
    add(response) {
      responses.set(response.id, response);
      const { owner, input, output } = response;
      for (const entry of [...input, ...output]) items.set(`${owner} ${entry.id}`, entry);
      const [oldest] = responses.values();
      if (responses.size > MAX_RESPONSES && oldest !== undefined) remove(oldest);
      const [oldestItem] = items.keys();
      if (items.size > MAX_ITEMS && oldestItem !== undefined) items.delete(oldestItem);
    },
    find(id, owner) {
      const found = responses.get(id);
      return found?.owner === owner ? found : undefined;
    },
    findItem: (id, owner) => items.get(`${owner} ${id}`),
    remove,
  };
}

const MAX_RESPONSES = 1_000;
const MAX_ITEMS = 20_000;

import type { CallRecord } from "#core/call.ts";

const MAX_NAMES = 2_000;

/**
 * Tells model names that are served from text that a client sent as a name, which neither logs nor
 * metrics may contain. A name is known once a channel was asked for it.
 */
export class KnownModels {
  readonly #names = new Set<string>();

  /** The model of a call; undefined if it is not known to exist. */
  nameOf({ model, channel, fault, attempts }: CallRecord): string | undefined {
    if (this.#names.has(model)) return model;
    // Money is reserved after channels were found.
    const isServed = channel !== null || attempts.length > 0 || fault === "out_of_quota";
    if (!isServed) return undefined;
    if (this.#names.size < MAX_NAMES) this.#names.add(model);
    return model;
  }
}

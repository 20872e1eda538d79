import { createHash } from "node:crypto";
import { DistinctIds } from "#styles/text/distinct-ids.ts";

const FIT = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_KEPT = 40;

/** Ids of calls as vendors take them: of few characters, and each only once in a conversation. */
export class CallIds {
  readonly #ids = new DistinctIds();

  /** For the next call that its caller knows by this id; some count from nothing in every turn. */
  next(id: string): string {
    return this.#ids.next(FIT.test(id) ? id : fitted(id));
  }
}

/** The same for the same id, so that a question asked again can come from a cache. */
function fitted(id: string): string {
  const kept = id.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_KEPT);
  return `${kept}_${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}

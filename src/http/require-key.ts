import assert from "node:assert";
import type { ApiKey } from "#core/key.ts";
import type { Exchange } from "./routes.ts";

/** For routes with access `key`: the server has authenticated the key before. */
export function requireKey({ key }: Exchange): ApiKey {
  assert(key !== undefined, "A route that needs a key is declared with another access.");
  return key;
}

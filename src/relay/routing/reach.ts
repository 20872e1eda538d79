import { mayUse, type ApiKey } from "#core/key.ts";
import type { Candidate } from "./route.ts";

/**
 * Those of a model's candidates that calls of a key may be sent to. Undefined
 * where there is none: a model that a key may not use, or that none of its
 * group's channels has, looks like one that does not exist.
 */
export function withinReach(
  key: ApiKey,
  model: string,
  candidates: readonly Candidate[] | undefined,
): readonly Candidate[] | undefined {
  if (candidates === undefined) return undefined;
  const channels = key.group?.channels;
  const own = candidates.filter(
    (each) =>
      mayUseAs(key, each, model) &&
      (channels === undefined || channels.includes(each.channel.name)),
  );
  return own.length === 0 ? undefined : own;
}

/**
 * Keys are made for models' own names: behind a vendor's prefix that one
 * counts, since a pattern such as `openai/*` is meant for models that are
 * called so. A key for a model is one for its other ids.
 */
function mayUseAs(key: ApiKey, { entry, base, aliasOf }: Candidate, model: string): boolean {
  const called = entry ?? model;
  if (mayUse(key, called)) return true;
  if (aliasOf === undefined) return false;
  return mayUse(key, aliasOf + (base === undefined ? "" : called.slice(base.length)));
}

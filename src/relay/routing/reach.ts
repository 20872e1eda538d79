import { mayUse, type ApiKey } from "#core/key.ts";
import type { Candidate } from "./route.ts";

/**
 * The candidates that a key may use. Undefined if there are none: a model outside the key's or its
 * group's permissions is treated as unknown.
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
 * Keys list the models' own names. The name without a vendor prefix is checked, because a pattern
 * such as `openai/*` is meant for names that contain the prefix. Permission for a model includes
 * its aliases.
 */
function mayUseAs(key: ApiKey, { entry, base, aliasOf }: Candidate, model: string): boolean {
  const called = entry ?? model;
  if (mayUse(key, called)) return true;
  if (aliasOf === undefined) return false;
  return mayUse(key, aliasOf + (base === undefined ? "" : called.slice(base.length)));
}

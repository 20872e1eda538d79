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
  // Most keys may use all of them: then the list is not copied.
  for (let at = 0; at < candidates.length; at++) {
    const each = candidates[at];
    if (each !== undefined && !isReached(key, each, model)) return reached(key, model, candidates);
  }
  return candidates.length === 0 ? undefined : candidates;
}

function reached(
  key: ApiKey,
  model: string,
  candidates: readonly Candidate[],
): readonly Candidate[] | undefined {
  const own = candidates.filter((each) => isReached(key, each, model));
  return own.length === 0 ? undefined : own;
}

function isReached(key: ApiKey, candidate: Candidate, model: string): boolean {
  const channels = key.group?.channels;
  return (
    mayUseAs(key, candidate, model) &&
    (channels === undefined || channels.includes(candidate.channel.name))
  );
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

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
  if (candidates === undefined || !mayUse(key, model)) return undefined;
  const channels = key.group?.channels;
  if (channels === undefined) return candidates;
  const own = candidates.filter(({ channel }) => channels.includes(channel.name));
  return own.length === 0 ? undefined : own;
}

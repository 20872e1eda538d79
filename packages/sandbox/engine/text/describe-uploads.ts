import { describeMedia } from "../media.ts";
import type { Prompt } from "../prompt.ts";

/** "I received a 2 by 2 pixel PNG image of 74 bytes." */
export function describeUploads({ media }: Prompt): string | undefined {
  if (media.length === 0) return undefined;
  const [last = "", ...before] = media.map(describeMedia).toReversed();
  const list = before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
  return `I received ${list}.`;
}

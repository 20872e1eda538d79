import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

/** What an interface calls each of its callers' words for which people a picture may show. */
export type PeopleWords = Readonly<Record<string, string>>;

/** What every model does that is not told anything. */
const USUAL = "allow_adult";

/** Which people a picture may show, in the interface's words; not every interface has any. */
export function peopleFor(
  { people }: ImageRequest,
  words: PeopleWords | undefined,
  report: LossReport,
): string | undefined {
  if (people === undefined) return undefined;
  const wanted = people.toLowerCase();
  const known = words === undefined ? [USUAL] : Object.keys(words);
  if (!known.includes(wanted)) {
    throw invalid("person_generation", `'person_generation' must be one of ${known.join(", ")}.`);
  }
  if (words === undefined) report.lose("person_generation");
  return words?.[wanted];
}

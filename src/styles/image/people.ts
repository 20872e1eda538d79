import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

/** An API's values for the clients' person-generation settings. */
export type PeopleWords = Readonly<Record<string, string>>;

/** The default of every model. */
const USUAL = "allow_adult";

/** The person-generation setting in the API's values; undefined if the API has none. */
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

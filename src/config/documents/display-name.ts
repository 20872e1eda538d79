import { readDisplayName } from "#core/name.ts";
import { parser } from "../parsers.ts";

export const displayName = parser({
  expects: "a name of 1 to 100 visible characters without white space around it",
  shows: "always",
  parse: (given) => readDisplayName(given),
  format: (name) => name,
});

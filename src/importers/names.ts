import { readDisplayName } from "#core/name.ts";
import { MODEL_PATTERN } from "#core/key.ts";

const NAME_CHARS = 64;
const DISPLAY_CHARS = 100;

/** A log-in name of `a-z`, `0-9`, dots, dashes and underscores. */
export function toUserName(given: string, instead: string): string {
  const name = given
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, NAME_CHARS);
  return name === "" ? instead : name;
}

/** A name of a channel: letters, digits, dots, dashes and underscores. */
export function toObjectName(given: string, instead: string): string {
  const name = given
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? instead : [...name].slice(0, NAME_CHARS).join("");
}

/** A name that people read. */
export function toDisplayName(given: string | undefined, instead: string): string {
  const visible = (given ?? "").replaceAll(/[^\P{C}]|[^\P{Z}]/gu, " ").trim();
  const short = [...visible].slice(0, DISPLAY_CHARS).join("").trim();
  return readDisplayName(short) ?? instead;
}

/** Names and patterns of models that a key here can have, and the others. */
export function sortModels(given: readonly string[]): {
  readonly good: readonly string[];
  readonly bad: readonly string[];
} {
  return {
    good: given.filter((each) => MODEL_PATTERN.test(each)),
    bad: given.filter((each) => !MODEL_PATTERN.test(each)),
  };
}

/** The name, or one with a number behind it, so that it is not taken; it is taken from now on. */
export function freshName(name: string, taken: Set<string>): string {
  let fresh = name;
  for (let i = 2; taken.has(fresh); i++) {
    const number = `-${i}`;
    fresh = [...name].slice(0, NAME_CHARS - number.length).join("") + number;
  }
  taken.add(fresh);
  return fresh;
}

import { isEmptyWord } from "./words.ts";

/** Values in a prompt that can become arguments; each list is in the order of the text. */
export interface PromptValues {
  readonly text: string;
  readonly quoted: readonly string[];
  readonly numbers: readonly number[];
  readonly places: readonly Place[];
  readonly names: readonly string[];
  readonly urls: readonly string[];
  readonly emails: readonly string[];
  readonly dates: readonly string[];
  readonly paths: readonly string[];
  readonly expressions: readonly string[];
  /** From `key: value`, `key=value` and `key is value`; keys in lower case. */
  readonly pairs: ReadonlyMap<string, string>;
}

/** A capitalised name behind a preposition, which tells "from Paris" and "to Rome" apart. */
interface Place {
  readonly preposition: string;
  readonly name: string;
}

/** Longer prompts are read at their end, where the question is. */
const READ_CHARACTERS = 8_000;

export function readValues(prompt: string): PromptValues {
  const text = prompt.slice(-READ_CHARACTERS).trim();
  const urls = all(text, /https?:\/\/[^\s"'<>)\]]+[^\s"'<>)\].,!?;:]/g);
  const bare = text.replaceAll(/https?:\/\/\S+/g, " ");
  const dates = all(bare, /\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?/g);
  const undated = bare.replaceAll(/\b\d{4}-\d{2}-\d{2}(?:T\S+)?/g, " ");

  return {
    text,
    quoted: all(
      text,
      /"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|`([^`\n]{1,2000})`|(?<![\p{L}\d])'([^'\n]{1,2000})'(?![\p{L}\d])/gu,
    ),
    numbers: all(undated, /(?<![\p{L}\d.])-?\d+(?:\.\d+)?(?![\p{L}\d])/gu).map(Number),
    places: readPlaces(bare),
    names: readNames(bare),
    urls,
    emails: all(bare, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g),
    dates: [
      ...dates,
      ...all(
        bare,
        /\b(today|tomorrow|yesterday|(?:next |last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/gi,
      ),
    ],
    paths: all(
      bare,
      /(?<![\w/.])(?:~|\.{1,2})?(?:\/[\w.-]+)+|\b[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,5}\b/g,
    ),
    expressions: all(bare, /-?\d[\d\s.]*(?:\s*[-+*/^×÷]\s*\(?-?\d[\d.]*\)?)+/g).map((found) =>
      found.trim(),
    ),
    pairs: readPairs(bare),
  };
}

/** "in Paris, Rome and New York" are three places with the preposition "in". */
function readPlaces(text: string): readonly Place[] {
  const name = String.raw`\p{Lu}[\p{L}'’.-]*(?:\s(?:(?:de|del|la|of|the|am|upon)\s)?\p{Lu}[\p{L}'’-]*){0,3}`;
  const list = String.raw`${name}(?:(?:,?\s(?:and|or|&)\s|,\s)(?:(?:in|for|at)\s)?${name}){0,19}`;
  const found = text.matchAll(
    new RegExp(String.raw`\b(in|for|at|near|from|to|of)\s+(${list})`, "gu"),
  );
  return [...found].flatMap(([, preposition = "", names = ""]) =>
    withRegions(names.split(/,?\s(?:and|or|&)\s|,\s/))
      .map((each) => each.replace(/^(?:in|for|at)\s/, "").replace(/[.'’-]+$/, ""))
      .filter((each) => each !== "")
      .map((each) => ({ preposition, name: each })),
  );
}

/** "San Francisco, CA" and "Paris, France" are one place each. */
function withRegions(names: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const name of names) {
    const before = joined.at(-1);
    if (before !== undefined && REGION.test(name)) joined[joined.length - 1] = `${before}, ${name}`;
    else joined.push(name);
  }
  return joined;
}

const REGION =
  /^(?:\p{Lu}{2,3}|France|Germany|Italy|Spain|Portugal|England|Scotland|Ireland|Japan|China|India|Canada|Mexico|Brazil|Australia|Austria|Switzerland|Sweden|Norway|Poland|Turkey|Egypt|Kenya|Texas|California)$/u;

/** Capitalised words that do not merely begin a sentence. */
function readNames(text: string): readonly string[] {
  const told = all(
    text,
    /\b(?:named|called|name is|i am|i'm)\s+(\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*){0,2})/giu,
  );
  const inside = all(
    text,
    /(?<![.!?:]\s)(?<=[\p{L}\d,;)]\s)(\p{Lu}[\p{L}\d'’-]*(?:\s\p{Lu}[\p{L}\d'’-]*){0,3})/gu,
  );
  return [...new Set([...told, ...inside])].filter((name) => !isEmptyWord(name.toLowerCase()));
}

function readPairs(text: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const key = String.raw`\b([\p{L}_][\p{L}\d_-]{0,40})`;
  const value = String.raw`("[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s,;"'][^,;\n"']{0,120}?)`;
  const end = String.raw`(?=\s*(?:[,;\n]|\.(?:\s|$)|\band\b|$))`;
  const [, dictated = "", rest = ""] =
    text.match(new RegExp(String.raw`${key}\s+(?:exactly|verbatim)\s*:\s*([^]+)$`, "u")) ?? [];
  if (rest !== "") pairs.set(dictated.toLowerCase(), rest);
  const found = text.matchAll(
    new RegExp(String.raw`${key}\s*(?:[:=]|\bis\b|\bare\b)\s*${value}${end}`, "gu"),
  );
  for (const [, name = "", found_ = ""] of found) {
    if (rest === "" || name.toLowerCase() !== dictated.toLowerCase())
      pairs.set(name.toLowerCase(), found_.replace(/^["']|["']$/g, "").trim());
  }
  return pairs;
}

/** The first group that matched, or the whole match. */
function all(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(
    (match) => match.slice(1).find((group) => group !== undefined) ?? match[0],
  );
}

import type { PromptValues } from "./prompt-values.ts";
import { contentWords, stems } from "./words.ts";

/** Finds the prompt's value for a field, and gives no value twice. */
export interface ValuePicker {
  text(field: Field, fits: (value: string) => boolean): string | undefined;
  number(field: Field, fits: (value: number) => boolean): number | undefined;
  boolean(field: Field): boolean | undefined;
  /** Every value the prompt has for a list of texts. */
  texts(field: Field): readonly string[];
  numbers(): readonly number[];
}

export interface Field {
  readonly name: string;
  readonly description: string;
}

export function valuePicker(values: PromptValues): ValuePicker {
  const taken = new Set<string | number>();

  function take<T extends string | number>(
    candidates: readonly T[],
    fits: (value: T) => boolean,
  ): T | undefined {
    const found = candidates.find((value) => !taken.has(value) && fits(value));
    if (found !== undefined) taken.add(found);
    return found;
  }

  return {
    text: (field, fits) => take(textCandidates(field, values), fits),
    texts: (field) => listCandidates(field, values),
    numbers: () => values.numbers,

    number(field, fits) {
      const pair = Number(values.pairs.get(field.name.toLowerCase()) ?? Number.NaN);
      if (Number.isFinite(pair) && fits(pair)) return pair;
      return take(values.numbers, fits);
    },

    boolean(field) {
      const pair = values.pairs.get(field.name.toLowerCase());
      if (pair !== undefined) return /^(?:true|yes|on|1)\b/i.test(pair);
      const name = stems(field.name).at(-1) ?? "";
      if (name === "" || !stems(values.text).includes(name)) return undefined;
      return !new RegExp(String.raw`\b(?:no|not|without|don't)\s+(?:\w+\s+)?${name}`, "i").test(
        values.text,
      );
    },
  };
}

/** Whether a field asks for a place, by its name. */
export function isPlaceField(name: string): boolean {
  return stems(name).some((word) => PLACE_WORDS.has(word));
}

function textCandidates(field: Field, values: PromptValues): readonly string[] {
  const pair = values.pairs.get(field.name.toLowerCase().replaceAll(" ", "_"));
  const likely =
    KINDS.find((kind) => kind.matches(stems(field.name)))?.values(values, stems(field.name)) ?? [];
  return [...(pair === undefined ? [] : [pair]), ...likely, ...values.quoted];
}

function listCandidates(field: Field, values: PromptValues): readonly string[] {
  const pair = values.pairs.get(field.name.toLowerCase());
  const listed = pair === undefined ? undefined : listAfter(values.text, field.name);
  if (listed !== undefined) return listed;
  const likely =
    KINDS.find((kind) => kind.matches(stems(field.name)))?.values(values, stems(field.name)) ?? [];
  return likely.length > 0 ? likely : values.quoted;
}

/** "tags: red, green and blue" */
function listAfter(text: string, name: string): readonly string[] | undefined {
  const start = text
    .toLowerCase()
    .search(
      new RegExp(String.raw`\b${name.toLowerCase().replaceAll(/\W/g, ".")}\s*(?:[:=]|is|are)`),
    );
  const rest =
    start < 0
      ? undefined
      : text.slice(start + name.length).match(/^\s*(?:[:=]|is|are)\s*([^.;\n]+)/);
  return rest?.[1]
    ?.split(/,\s*(?:and\s+)?|\s+and\s+/)
    .map((each) => each.replaceAll(/^["']|["']$/g, "").trim());
}

interface Kind {
  matches(name: readonly string[]): boolean;
  values(values: PromptValues, name: readonly string[]): readonly string[];
}

const PLACE_WORDS = new Set(
  "city location place country town destination origin region address departure arrival".split(" "),
);
const SUBJECT_WORDS = new Set(
  "query q search question prompt text message input content keyword term topic subject phrase body note task".split(
    " ",
  ),
);

/** In order: the first kind that a field's name fits decides. */
const KINDS: readonly Kind[] = [
  { matches: named("email", "recipient"), values: ({ emails, names }) => [...emails, ...names] },
  { matches: named("url", "uri", "link", "href", "website"), values: ({ urls }) => urls },
  {
    matches: named("path", "file", "filename", "directory", "folder"),
    values: ({ paths }) => paths,
  },
  {
    matches: named("expression", "formula", "equation", "calculation"),
    values: ({ expressions }) => expressions,
  },
  { matches: named("date", "day", "when", "time", "datetime"), values: ({ dates }) => dates },
  {
    matches: (name) =>
      name.some((word) => PLACE_WORDS.has(word) || word === "from" || word === "to"),
    values: ({ places, names }, name) => {
      const wanted = directionOf(name);
      const right = places.filter((place) => wanted === undefined || place.preposition === wanted);
      return [
        ...(right.length > 0 ? right : places).map((place) => place.name),
        ...(places.length > 0 ? [] : names),
      ];
    },
  },
  {
    matches: (name) => name.some((word) => SUBJECT_WORDS.has(word)),
    values: (values) => [...values.quoted, ...subjectOf(values.text)],
  },
  {
    matches: named(
      "name",
      "title",
      "person",
      "author",
      "user",
      "customer",
      "owner",
      "company",
      "label",
    ),
    values: ({ quoted, names }) => [...quoted, ...names],
  },
];

function named(...wanted: readonly string[]) {
  return (name: readonly string[]) => name.some((word) => wanted.includes(word));
}

function directionOf(name: readonly string[]): string | undefined {
  if (name.some((word) => ["origin", "from", "departure", "source", "start"].includes(word)))
    return "from";
  if (name.some((word) => ["destination", "to", "arrival", "target", "end"].includes(word)))
    return "to";
  return undefined;
}

/** What a search would be for: the words behind "about" or "for", or all that carry meaning. */
function subjectOf(text: string): readonly string[] {
  const behind = text.match(/\b(?:about|for|regarding|on)\s+([^.?!\n]{2,200})/i)?.[1]?.trim();
  const carried = contentWords(text).slice(0, 12).join(" ");
  return [behind, carried].filter((each) => each !== undefined && each !== "").map(String);
}

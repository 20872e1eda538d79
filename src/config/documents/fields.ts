import { z } from "zod";
import { quote } from "../mistakes.ts";
import { didYouMean } from "../suggest.ts";

/**
 * An object of a document. A field that it does not name is a mistake; the
 * message has one line for each, and no value.
 */
export function fields<S extends z.ZodRawShape>(shape: S) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((name) => unknownName(name, names)).join("\n")
        : `is not a map of ${names.join(", ")}.`,
  });
}

function unknownName(name: string, names: readonly string[]): string {
  return `${quote(writtenKey(name))} is not known here; ${didYouMean(name, names)}`;
}

/** The meaning of a field, for the manual and the API document. */
export function descriptionOf(field: z.ZodType): string {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  return z.globalRegistry.get(inner)?.description ?? field.description ?? "";
}

/** A list; an empty one is a mistake if `whenEmpty` says what to write instead. */
export function list<T extends z.ZodType>(
  item: T,
  { whenEmpty, max }: { readonly whenEmpty?: string; readonly max?: number } = {},
) {
  const empty = whenEmpty === undefined ? undefined : `is an empty list; ${whenEmpty}`;
  const schema = z.array(item, {
    error: ({ input }) => (input === null ? empty : undefined) ?? "is not a list.",
  });
  const filled = empty === undefined ? schema : schema.min(1, empty);
  return max === undefined ? filled : filled.max(max, `has more than ${max} entries.`);
}

const MAX_WORDS = 32;

/** A single value is a list of one. */
export function oneOrMore<T extends z.ZodType>(item: T) {
  const problem = `must have 1 to ${MAX_WORDS} items.`;
  const items = z.array(item).min(1, problem).max(MAX_WORDS, problem);
  return z.preprocess((given) => (Array.isArray(given) ? given : [given]), items);
}

interface DictionaryTerms {
  readonly wrongType: string;
  readonly min?: number;
  readonly max: number;
  /** What `max` counts. */
  readonly noun?: string;
  /** The mistake of a name, if it has one. */
  nameProblem?(name: string): string | undefined;
}

/** An object with any names. */
export function dictionary<T extends z.ZodType>(
  of: T,
  { wrongType, min = 0, max, noun = "entries", nameProblem }: DictionaryTerms,
) {
  return z
    .record(z.string(), of, { error: wrongType })
    .superRefine((entries, context) => {
      if (!isMap(entries)) return;
      const names = Object.keys(entries).map(writtenKey);
      if (names.length < min) context.addIssue({ code: "custom", message: wrongType });
      if (names.length > max) {
        context.addIssue({ code: "custom", message: `has more than ${max} ${noun}.` });
      }
      for (const name of names) {
        const message = nameProblem?.(name);
        if (message !== undefined) context.addIssue(nameIssue(name, message));
      }
    }, ALWAYS)
    .transform(
      (entries): ReadonlyMap<string, z.output<T>> =>
        new Map(Object.entries(entries).map(([name, value]) => [writtenKey(name), value])),
    );
}

/** The schema depends on the value. */
export function chosen<T extends z.ZodType>(schemaFor: (given: unknown) => T) {
  return z.unknown().transform((given, context): z.output<T> => {
    const parsed = schemaFor(given).safeParse(given);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      context.issues.push({ ...issue, input: undefined, continue: true });
    }
    return z.NEVER;
  });
}

/** Runs a check although parts of the value have mistakes, so that all are reported together. */
export const ALWAYS = { when: () => true };

/** Reports an object without fields; one with mistakes is not empty. */
export function notEmpty(message: string) {
  return z.superRefine<object>(
    (given, context) => {
      if (Object.keys(given).length === 0) context.addIssue({ code: "custom", message });
    },
    { when: ({ issues }) => issues.length === 0 },
  );
}

/** An issue of a name in a map, instead of its value. */
export function nameIssue(name: string, message: string) {
  return { code: "custom" as const, message, path: [safeKey(name)], params: { at: "name" } };
}

const PROTO = "__proto__";
const SAFE_PROTO = `\0${PROTO}`;

/** Zod drops the key `__proto__`, which is a valid model name, and an unknown field elsewhere. */
export function safeKey(name: string): string {
  return name === PROTO ? SAFE_PROTO : name;
}

export function writtenKey(key: string): string {
  return key === SAFE_PROTO ? PROTO : key;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names within one list are unique; the second use is reported. */
export function uniqueNames(items: unknown, context: z.RefinementCtx): void {
  reportRepeated(items, "name", "is a duplicate name. Choose another one.", context);
}

/** Reports values of a field that an earlier item of the list has. */
export function reportRepeated(
  items: unknown,
  field: string,
  message: string,
  context: z.RefinementCtx,
): void {
  if (!Array.isArray(items)) return;
  const taken = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const value = isMap(item) ? item[field] : undefined;
    if (typeof value !== "string") continue;
    if (taken.has(value)) context.addIssue({ code: "custom", message, path: [index, field] });
    taken.add(value);
  }
}

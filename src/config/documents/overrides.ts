import { z } from "zod";
import type { Overrides, ValueChanges } from "#core/overrides.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { SENSITIVE } from "#lib/schema-rule.ts";
import { defined } from "#lib/values.ts";
import { quote } from "../mistakes.ts";
import { parser, text } from "../parsers.ts";
import { ALWAYS, dictionary, fields, isMap, list } from "./fields.ts";

const MAX_CHANGES = 64;
/** Values may hold a secret: no error quotes them. */
const UNQUOTED = { [SENSITIVE]: true };

type NameProblem = (name: string) => string | undefined;

const CONNECTION_HEADERS = [
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const CREDENTIAL_HEADERS =
  /^(?:authorization|proxy-.*|cookie|api-key|x-api-key|x-goog-api-key|x-amz-.*|x-security-token|x-date|x-content-sha256)$/;

/** Why a channel may not change the header; undefined if it may. */
export const headerProblem: NameProblem = (name) => {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/i.test(name)) return `${quote(name)} is not a header name.`;
  const known = name.toLowerCase();
  if (CONNECTION_HEADERS.includes(known)) {
    return `${quote(name)} belongs to the connection. The gateway sets it.`;
  }
  return CREDENTIAL_HEADERS.test(known)
    ? `${quote(name)} carries credentials. Use "api_key" instead.`
    : undefined;
};

const CREDENTIAL_PARAMETERS = /^(?:api[-_]?key|key|access_token|token|sig|signature|x-amz-.*)$/i;

const parameterProblem: NameProblem = (name) => {
  if (!/^[A-Za-z0-9_.$[\]-]{1,64}$/.test(name)) return `${quote(name)} is not a parameter name.`;
  if (name === "alt") return `"alt" is the form of the answer. The gateway sets it.`;
  return CREDENTIAL_PARAMETERS.test(name)
    ? `${quote(name)} carries credentials. Use "api_key" instead.`
    : undefined;
};

/** Members that routing, streams, limits and charges depend on, in the words of all styles. */
const METERED = [
  "model",
  "models",
  "stream",
  "stream_options",
  "n",
  "best_of",
  "messages",
  "input",
  "contents",
  "prompt",
  "system",
  "system_instruction",
  "systemInstruction",
  "instructions",
  "tools",
  "functions",
  "web_search_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens_to_sample",
  "maxOutputTokens",
  "generationConfig.maxOutputTokens",
  "generationConfig.candidateCount",
  "generation_config.max_output_tokens",
  "generation_config.candidate_count",
  "inferenceConfig.maxTokens",
  "service_tier",
  "serviceTier",
  "speed",
  "background",
  "conversation",
  "previous_response_id",
  "fallbacks",
];
const UNSAFE_SEGMENTS = ["__proto__", "prototype", "constructor"];

/** The same for a member of the body. */
export const memberProblem: NameProblem = (path) => {
  const segments = path.split(".");
  const isPath = /^[A-Za-z0-9_$-]{1,64}(?:\.[A-Za-z0-9_$-]{1,64}){0,7}$/.test(path);
  if (!isPath || segments.some((each) => UNSAFE_SEGMENTS.includes(each))) {
    return `${quote(path)} is not a path of members, such as thinking.type.`;
  }
  const isMetered = METERED.some(
    (each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`),
  );
  return isMetered
    ? `${quote(path)} cannot be overridden: routing, limits or charges depend on it.`
    : undefined;
};

const fieldText = text(
  "text of 1 to 2000 visible ASCII characters",
  /^(?! )[\x20-\x7e]{1,2000}(?<! )$/,
);

/** A text that reads as JSON stands for that value. */
const jsonValue = z.unknown().transform((given, context): Json => {
  const value = readValue(given);
  if (JSON.stringify(value).length <= MAX_VALUE_CHARS) return value;
  context.issues.push({
    code: "custom",
    input: undefined,
    message: `is longer than ${MAX_VALUE_CHARS} characters.`,
  });
  return z.NEVER;
});
const MAX_VALUE_CHARS = 20_000;

function readValue(given: unknown): Json {
  if (typeof given === "string") {
    const value = parseJson(given);
    return value === undefined ? given : value;
  }
  if (Array.isArray(given)) return given.map(readValue);
  if (!isMap(given)) return null;
  return Object.fromEntries(Object.entries(given).map(([name, each]) => [name, readValue(each)]));
}

function writeValue(value: Json): Json {
  if (value === null) return "null";
  if (typeof value === "string")
    return parseJson(value) === undefined ? value : JSON.stringify(value);
  if (isArray(value)) return value.map(writeValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each = null]) => [name, writeValue(each)]),
  );
}

function changes<T extends z.ZodType>(value: T, nameProblem: NameProblem, noun: string) {
  const terms = { wrongType: `is not a map of ${noun}.`, max: MAX_CHANGES, noun, nameProblem };
  const name = parser({
    expects: "a name",
    shows: "valid",
    parse: (given) => (nameProblem(given) === undefined ? given : undefined),
    format: (given) => given,
    explain: (given) => `is refused: ${nameProblem(given) ?? ""}`,
  });
  const shape = {
    set: dictionary(value, terms).optional(),
    default: dictionary(value, terms).optional(),
    remove: list(name.schema, { max: MAX_CHANGES }).optional(),
  };
  return fields(shape).superRefine(refuseRepeated, ALWAYS);
}

/** A name has one change: else the order would decide. */
function refuseRepeated(given: unknown, context: z.RefinementCtx): void {
  if (!isMap(given)) return;
  const taken = new Set<string>();
  for (const list of ["set", "default", "remove"]) {
    const part = given[list];
    const names = part instanceof Map ? [...part.keys()] : Array.isArray(part) ? part : [];
    for (const name of names) {
      const known = String(name).toLowerCase();
      const message = `names ${quote(String(name))} again. Choose one of set, default and remove.`;
      if (taken.has(known)) context.addIssue({ code: "custom", message, path: [list] });
      taken.add(known);
    }
  }
}

/** The fields of a channel that change its requests. */
export const OVERRIDE_FIELDS = {
  headers: changes(fieldText.schema, headerProblem, "headers")
    .meta({
      ...UNQUOTED,
      description:
        "`{ set, default, remove }`: headers of every request to the vendor. Never those of credentials and connections.",
    })
    .optional(),
  query: changes(fieldText.schema, parameterProblem, "parameters")
    .meta({
      ...UNQUOTED,
      description: "`{ set, default, remove }`: query parameters of every request to the vendor.",
    })
    .optional(),
  body: changes(jsonValue, memberProblem, "members")
    .meta({
      ...UNQUOTED,
      description:
        "`{ set, default, remove }`: members of text requests by path, such as `thinking.type`. Never those that limits and charges depend on.",
    })
    .optional(),
};

interface GivenChanges<T> {
  readonly set?: ReadonlyMap<string, T> | undefined;
  readonly default?: ReadonlyMap<string, T> | undefined;
  readonly remove?: readonly string[] | undefined;
}

interface GivenOverrides {
  readonly headers?: GivenChanges<string> | undefined;
  readonly query?: GivenChanges<string> | undefined;
  readonly body?: GivenChanges<Json> | undefined;
}

export function overridesOf({ headers, query, body }: GivenOverrides): Overrides | undefined {
  const overrides: Overrides = defined({
    headers: changesOf(headers, (name) => name.toLowerCase()),
    query: changesOf(query),
    body: changesOf(body),
  });
  return Object.keys(overrides).length === 0 ? undefined : overrides;
}

/** Undefined if nothing changes. */
function changesOf<T>(
  given: GivenChanges<T> | undefined,
  rename: (name: string) => string = (name) => name,
): ValueChanges<T> | undefined {
  const record = (part: ReadonlyMap<string, T> | undefined): Record<string, T> | undefined =>
    part === undefined || part.size === 0
      ? undefined
      : Object.fromEntries([...part].map(([name, value]) => [rename(name), value]));
  const remove = given?.remove?.map(rename);
  const made: ValueChanges<T> = defined({
    set: record(given?.set),
    default: record(given?.default),
    remove: remove?.length === 0 ? undefined : remove,
  });
  return Object.keys(made).length === 0 ? undefined : made;
}

/** The fields of a document, with names in order. */
export function overrideFields(overrides: Overrides | undefined): {
  readonly [field in keyof Overrides]: Json;
} {
  const { headers, query, body } = overrides ?? {};
  return defined({
    headers: headers && changeFields(headers),
    query: query && changeFields(query),
    body: body && changeFields(body, writeValue),
  });
}

/** `write`: for values that are JSON. Those of headers and parameters are text as it stands. */
function changeFields<T extends Json>(
  { set, default: defaults, remove }: ValueChanges<T>,
  write: (value: T) => Json = (value) => value,
): Json {
  const written = (values: Readonly<Record<string, T>>): Json =>
    Object.fromEntries(
      Object.entries(values)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => [name, write(value)]),
    );
  return defined({
    set: set && written(set),
    default: defaults && written(defaults),
    remove: remove?.toSorted(),
  });
}

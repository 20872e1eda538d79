import { isJsonArray, isJsonObject } from "@sluice/sandbox/json.ts";
import {
  entryAt,
  fieldAt,
  itemAt,
  rejectName,
  rejectOneOf,
  rejectValue,
  type Place,
} from "./place.ts";
import { MAX_DEPTH, TOO_DEEP, typeUrl, type Reader } from "./scalars.ts";

/** Readers of a message's fields, by their names in camel case. */
type Fields = Readonly<Record<string, Reader<unknown>>>;

/** A message as it was read; absent and null are the same. */
type Message<Each extends Fields> = {
  readonly [Name in keyof Each]?: Each[Name] extends Reader<infer Value> ? Value : never;
};

/** Reads an object whose fields may be written in camel case or in snake case; any other is refused. */
export function message<const Each extends Fields>(
  type: string,
  fields: Each,
  oneOf?: OneOf,
): Reader<Message<Each>> {
  const known = new Map(
    Object.entries(fields).flatMap(([name, read]) => {
      const field = { name, snakeName: snakeCase(name), read };
      return [name, field.snakeName].map((each) => [each, field] as const);
    }),
  );

  return (value, place) => {
    if (isJsonArray(value)) {
      const isRoot = place.path === "";
      return rejectName(
        place,
        isRoot
          ? "Root element must be a message."
          : "Proto field is not repeating, cannot start list.",
      );
    }
    if (!isJsonObject(value)) return rejectValue(place, typeUrl(type), value);
    if (place.depth > MAX_DEPTH) return rejectName(place, TOO_DEEP);

    const read: unknown[][] = [];
    for (const [written, part] of Object.entries(value)) {
      const field = known.get(written);
      const inner = fieldAt(place, written, field?.snakeName ?? written);
      if (field === undefined) rejectName(inner, "Cannot find field.");
      else if (part !== null) read.push([field.name, field.read(part, inner)]);
    }
    const found = read.filter(([, each]) => each !== undefined);
    checkOneOf(found, oneOf, place);
    return Object.fromEntries(found);
  };
}

/** Fields of which only one may be set. */
interface OneOf {
  readonly group: string;
  readonly names: readonly string[];
}

/** A list; a value that stands alone is a list of one. */
export function repeated<Value>(read: Reader<Value>): Reader<readonly Value[]> {
  return (value, place) => {
    const list = isJsonArray(value) ? value : [value];
    return list.flatMap((each, index) => {
      const item = each === null ? undefined : read(each, itemAt(place, index));
      return item === undefined ? [] : [item];
    });
  };
}

/** An object with names of the client. */
export function mapOf<Value>(read: Reader<Value>): Reader<Readonly<Record<string, Value>>> {
  return (value, place) => {
    if (!isJsonObject(value))
      return isJsonArray(value)
        ? rejectName(place, "Proto field is not repeating, cannot start list.")
        : rejectValue(place, "Map", value);
    const entries = Object.entries(value).map(
      ([key, each], index) =>
        [key, each === null ? undefined : read(each, entryAt(place, index))] as const,
    );
    return Object.fromEntries(
      entries.flatMap(([key, each]) => (each === undefined ? [] : [[key, each] as const])),
    );
  };
}

function checkOneOf(
  found: readonly (readonly unknown[])[],
  oneOf: OneOf | undefined,
  place: Place,
): void {
  if (oneOf === undefined) return;
  const set = oneOf.names.filter((name) => found.some(([each]) => each === name));
  for (const second of set.slice(1)) rejectOneOf(place, oneOf.group, second);
}

/** `responseJsonSchema` is `response_json_schema` in the protocol. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

import { isJsonObject, jsonText, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readChoice,
  readInteger,
  readList,
  readText,
} from "@sluice/sandbox/openai/fields.ts";
import { invalidParameter } from "./error.ts";

/**
 * A part of a list: by the number of a page, or by where the part before it
 * ended, and never by both.
 */
export function pageOf(
  items: readonly JsonObject[],
  body: JsonObject,
  deepest: number,
): JsonObject {
  const [number, size, most] = [
    readInteger(field(body, "PageNumber"), 1, deepest),
    readInteger(field(body, "PageSize"), 1, MAX_SIZE),
    readInteger(field(body, "MaxResults"), 1, MAX_SIZE),
  ];
  const token = readText(field(body, "NextToken"));
  const hasCursor = most !== undefined || token !== undefined;
  if (hasCursor && (number !== undefined || size !== undefined))
    throw invalidParameter("NextToken", "pages have either numbers or tokens");
  if (hasCursor) return partAfter(items, token, most ?? USUAL_SIZE);

  const [page, length] = [number ?? 1, size ?? USUAL_SIZE];
  if (page * length > deepest)
    throw invalidParameter("PageNumber", `no more than ${deepest} items can be listed by pages`);
  return {
    Items: items.slice((page - 1) * length, page * length),
    TotalCount: items.length,
    PageNumber: page,
    PageSize: length,
  };
}

const USUAL_SIZE = 10;
const MAX_SIZE = 100;

function partAfter(
  items: readonly JsonObject[],
  token: string | undefined,
  length: number,
): JsonObject {
  const last = token === undefined ? undefined : Buffer.from(token, "base64url").toString();
  const start = last === undefined ? 0 : items.findIndex((item) => item["Id"] === last) + 1;
  if (last !== undefined && start === 0) throw invalidParameter("NextToken", "it is unknown");
  const part = items.slice(start, start + length);
  const id = part.at(-1)?.["Id"];
  const hasMore = start + length < items.length && typeof id === "string";
  return {
    Items: part,
    ...(hasMore ? { NextToken: Buffer.from(id).toString("base64url") } : {}),
  };
}

/** In the order that is asked for: the newest first unless told. */
export function sorted(
  items: readonly JsonObject[],
  body: JsonObject,
  names: readonly string[],
): readonly JsonObject[] {
  const name = readChoice(field(body, "SortBy"), names) ?? "CreateTime";
  const isUp = readChoice(field(body, "SortOrder"), ["Desc", "Asc"]) === "Asc";
  const word = (item: JsonObject) => jsonText(item[name]);
  // Those that were made at the same time come as they were given, or the other way round.
  const falling = items.toSorted((left, right) =>
    word(left) === word(right) ? 0 : word(left) < word(right) ? 1 : -1,
  );
  return isUp ? falling.toReversed() : falling;
}

export function readFilter(body: JsonObject): JsonObject {
  const { value } = field(body, "Filter");
  if (value !== undefined && !isJsonObject(value))
    throw invalidParameter("Filter", "expected an object");
  return value ?? {};
}

/** Whether one of the words is wanted; any is where none are named. */
export function wantedIn(filter: JsonObject, name: string): (word: Json | undefined) => boolean {
  const list = readList(field(filter, name, `Filter.${name}`), 0, MAX_WORDS) ?? [];
  return (word) => list.length === 0 || list.some((each) => each === word);
}

const MAX_WORDS = 100;

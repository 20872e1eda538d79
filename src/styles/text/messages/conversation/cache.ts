import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** How long what a mark ends is kept: five minutes, or an hour. */
type Mark = "short" | "long";

export function readMark(control: Json | undefined): Mark | undefined {
  if (!isObject(control)) return undefined;
  return control["type"] === "persistent" || control["ttl"] === "1h" ? "long" : "short";
}

export function buildMark(mark: Mark): JsonObject {
  return mark === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/** Members of a request that may hold marks. */
export const MARKED_MEMBERS = ["system", "tools", "messages", "cache_control"] as const;

/**
 * A member with its marks in the words of vendors, to whom `persistent` means
 * nothing. The value itself where there is nothing to change.
 */
export function withVendorMarks(member: (typeof MARKED_MEMBERS)[number], value: Json): Json {
  if (member === "cache_control") return vendorMark(value);
  return isArray(value) ? mapChanged(value, adaptBlock) : value;
}

/** A block, a tool or a turn: each may hold a mark, and blocks that do. */
export function adaptBlock(block: Json): Json {
  if (!isObject(block)) return block;
  const { cache_control: control, content } = block;
  const mark = control === undefined ? undefined : vendorMark(control);
  const inner = isArray(content) ? mapChanged(content, adaptBlock) : content;
  if (mark === control && inner === content) return block;
  return {
    ...block,
    ...(mark === undefined ? {} : { cache_control: mark }),
    ...(inner === undefined ? {} : { content: inner }),
  };
}

function vendorMark(control: Json): Json {
  return isObject(control) && control["type"] === "persistent" ? buildMark("long") : control;
}

/** The list itself where nothing in it is changed. */
export function mapChanged(list: readonly Json[], change: (one: Json) => Json): readonly Json[] {
  const changed = list.map(change);
  return changed.some((one, at) => one !== list[at]) ? changed : list;
}

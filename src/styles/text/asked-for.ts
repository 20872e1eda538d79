import type { AskedFor } from "#core/money.ts";
import type { ServedAs } from "#core/price-condition.ts";
import { servedAs } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

/** What a request asks for that its price may depend on; the members of facts, none if nothing is asked. */
export function askedFor(
  said: { readonly [Name in keyof ServedAs]: Json | undefined },
  more: Pick<AskedFor, "keepsLong" | "models"> = {},
): { readonly asked?: AskedFor } {
  const served = servedAs(said);
  if (served === undefined && more.keepsLong === undefined && more.models === undefined) {
    return NOT_ASKED;
  }
  return { asked: { ...served, ...more } };
}

const LONG_LIVES: ReadonlySet<Json | undefined> = new Set(["12h", "1h"]);

/** Whether what says how long a cache keeps its entries says: for long. */
export function keepsLong(cache: Json | undefined): Pick<AskedFor, "keepsLong"> {
  return LONG_LIVES.has(memberOf(cache, "ttl")) ? LONG : NOT_LONG;
}

/** The same of blocks, each of which may say so. */
export function marksLong(blocks: Json | undefined): boolean {
  return listOf(blocks).some((block) =>
    LONG_LIVES.has(memberOf(memberOf(block, "cache_control"), "ttl")),
  );
}

/** Models that a list names, each in its own entry. */
export function modelsIn(entries: Json | undefined): readonly string[] {
  return listOf(entries).flatMap((entry) => (isObject(entry) ? (nameIn(entry) ?? []) : []));
}

function nameIn({ model }: JsonObject): string | undefined {
  return textOf(model);
}

const NOT_ASKED = {};
const LONG = { keepsLong: true } as const;
const NOT_LONG = {};

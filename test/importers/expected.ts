import { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";
import { directDialect } from "#storage/sqlite/dialect.ts";
import { databasePath } from "#storage/sqlite/open.ts";
import type { Tables } from "#storage/tables.ts";
import type { Importing } from "./importing.ts";

/** Objects of a list of expected facts. */
export function objectsIn(facts: JsonObject, name: string): readonly JsonObject[] {
  return listOf(facts[name]).filter(isObject);
}

export function text(facts: JsonObject, name: string): string {
  return textOf(facts[name]) ?? "";
}

export function number(facts: JsonObject, name: string): number {
  return numberOf(facts[name]) ?? 0;
}

/** All items of a list of the management API. */
export async function listed(at: Importing, path: string): Promise<readonly JsonObject[]> {
  const { body } = await at.root("GET", path);
  const data: Json | undefined = body["data"];
  const items = Array.isArray(data) ? data : listOf(objectOf(data)?.["items"]);
  return items.filter(isObject);
}

export async function usersByName(at: Importing): Promise<ReadonlyMap<string, JsonObject>> {
  const users = await listed(at, "/api/user");
  return new Map(users.map((each) => [text(each, "username"), each]));
}

/** The keys of a user by their names. */
export async function keysOf(
  at: Importing,
  userId: number,
): Promise<ReadonlyMap<string, JsonObject>> {
  const keys = await listed(at, `/api/user/${userId}/token?page_size=100`);
  return new Map(keys.map((each) => [text(each, "name"), each]));
}

/** Names by the ids of objects. */
export async function namesById(at: Importing, path: string): Promise<ReadonlyMap<number, string>> {
  return new Map((await listed(at, path)).map((each) => [number(each, "id"), text(each, "name")]));
}

/** Sends the calls of all imported channels to a simulated vendor, which has one model. */
export async function pointAtVendor(at: Importing, url: string): Promise<void> {
  for (const channel of await listed(at, "/api/channel")) {
    const { status } = await at.root("PUT", `/api/channel/${number(channel, "id")}`, {
      provider: "openai",
      base_url: `${url}/openai/v1`,
      api_key: "sk-simulated-vendor",
      models: modelsOf(channel).map(([name]) => ({ name, upstream: "gpt-4o-mini" })),
      options: null,
      style: null,
    });
    if (status !== 200) throw new Error(`The channel ${text(channel, "name")} was not changed.`);
  }
}

/** The status of a call with a key. */
export async function callWith(at: Importing, key: string, model: string): Promise<number> {
  const answer = await fetch(`${at.opened.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      max_tokens: 8,
      messages: [{ role: "user", content: "What is a sluice?" }],
    }),
  });
  await answer.text();
  return answer.status;
}

/** Names that clients use with the vendor's. */
export function modelsOf(channel: JsonObject): readonly (readonly [string, string])[] {
  return listOf(channel["models"]).map((each) => {
    if (typeof each === "string") return [each, each];
    const name = textOf(objectOf(each)?.["name"]) ?? "";
    return [name, textOf(objectOf(each)?.["upstream"]) ?? name];
  });
}

/** Dollars to the nano-dollar, without what a difference of floating-point numbers adds. */
export function round(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9;
}

/** Sentences about entries of the ledger that do not add up. */
export async function ledgerFaults(at: Importing): Promise<readonly string[]> {
  const database = new Database(databasePath(at.opened.dataDir), { readonly: true });
  await using db = new Kysely<Tables>({ dialect: directDialect(database) });
  return (await verifyLedger(db)).map(({ rule, subject }) => `${subject}: ${rule}`);
}

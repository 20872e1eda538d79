import type { DescribedStores } from "#core/configuration.ts";
import type { Reach } from "#core/channel.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import type { Clock } from "#lib/clock.ts";
import type { KnownProvider } from "../documents/channel.ts";
import type { z } from "zod";
import { ALWAYS, list, uniqueNames } from "../documents/fields.ts";
import type { FilePlace, Report } from "../mistakes.ts";
import { findNode, readDocument } from "../read-document.ts";
import type { FileNode } from "../tree.ts";

/** One section of the document with one kind of object. */
export interface Section<S extends Stored = Stored> {
  /** The stored objects by name. */
  load(stores: DescribedStores): Promise<ReadonlyMap<string, S>>;
  /** The requested objects by name; reports all mistakes. */
  read(
    node: FileNode,
    stored: ReadonlyMap<string, S>,
    terms: Terms,
    report: Report,
  ): ReadonlyMap<string, Wanted>;
  /** Writes the section from its objects in the order of their names. */
  write(objects: readonly (readonly [string, JsonObject])[]): Json;
}

/** A section with its stored objects at one moment. */
export interface Loaded {
  readonly stored: ReadonlyMap<string, Stored>;
  read(node: FileNode, terms: Terms, report: Report): ReadonlyMap<string, Wanted>;
}

export interface Stored {
  /** The object's fields in canonical notation, without its name. */
  readonly fields: JsonObject;
  /** Further data that distinguishes two states. */
  readonly stamp?: Json;
  delete(stores: DescribedStores): Promise<unknown>;
}

export interface StoredById extends Stored {
  readonly id: number;
}

export interface Wanted {
  readonly place: FilePlace;
  readonly fields: JsonObject;
  /** Creates or updates the object. `note`: for the ledger. */
  save(stores: DescribedStores, note: string): Promise<unknown>;
}

/** The rules for a document in addition to its syntax. */
export interface Terms {
  readonly providers: readonly KnownProvider[];
  readonly clock: Pick<Clock, "now">;
  /** Undefined if no channel may use the address. */
  reachNeeded(url: URL): Reach | undefined;
  /**
   * The file position or variable that defines an object outside the database,
   * and so prevents changes here.
   */
  ownerOf(section: "settings" | "channels" | "models", name: string): string | undefined;
}

/** Loads a section of any kind. */
export async function load<S extends Stored>(
  section: Section<S>,
  stores: DescribedStores,
): Promise<Loaded> {
  const stored = await section.load(stores);
  return { stored, read: (node, terms, report) => section.read(node, stored, terms, report) };
}

/** An object of the file or a variable must not be described here too, unless it already is. */
export function reportOwned(
  section: "settings" | "channels" | "models",
  name: string,
  { place, fields }: Pick<Wanted, "place" | "fields">,
  stored: Stored | undefined,
  terms: Terms,
  report: Report,
): void {
  const owner = terms.ownerOf(section, name);
  if (owner === undefined || isSame(fields, stored?.fields)) return;
  report(place, `is defined by ${owner}. Change it there.`);
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** A decimal as a number if its digits stay the same. */
export function numeral(text: string): string | number {
  return String(Number(text)) === text ? Number(text) : text;
}

/** Sorted by name, independent of the locale. */
export function sorted<T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}

/** Writes objects as a list with their names. */
export function listed(objects: readonly (readonly [string, JsonObject])[]): Json {
  return objects.map(([name, fields]) => ({ name, ...fields }));
}

/** Reads list items by their names, which may be any visible text. */
export function readNamed<T extends { readonly name: string }>(
  node: FileNode,
  item: z.ZodType<T>,
  report: Report,
  read: (item: T) => Omit<Wanted, "place">,
): ReadonlyMap<string, Wanted> {
  if (node.kind === "empty") return new Map();
  const items: readonly T[] =
    readDocument(list(item).superRefine(uniqueNames, ALWAYS), node, report) ?? [];
  return new Map(
    items.map((each, index) => {
      const place = findNode(node, [index, "name"])?.place ?? node.place;
      return [each.name, { place, ...read(each) }];
    }),
  );
}

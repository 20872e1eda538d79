import type { DescribedStores } from "#core/configuration.ts";
import type { Reach } from "#core/channel.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import type { Clock } from "#lib/clock.ts";
import type { KnownProvider } from "../channels.ts";
import { type Form, openForm, readItems } from "../form.ts";
import type { FilePlace, Report } from "../mistakes.ts";
import { text } from "../parsers.ts";
import type { FileNode } from "../tree.ts";

/** One kind of object, as a section of the document has them. */
export interface Section<S extends Stored = Stored> {
  /** What is stored, by name. */
  load(stores: DescribedStores): Promise<ReadonlyMap<string, S>>;
  /** What a document wants, by name; every mistake is reported. */
  read(
    node: FileNode,
    stored: ReadonlyMap<string, S>,
    terms: Terms,
    report: Report,
  ): ReadonlyMap<string, Wanted>;
  /** The section, of its objects in the order of their names. */
  write(objects: readonly (readonly [string, JsonObject])[]): Json;
}

/** A section with what was stored in it at one time. */
export interface Loaded {
  readonly stored: ReadonlyMap<string, Stored>;
  read(node: FileNode, terms: Terms, report: Report): ReadonlyMap<string, Wanted>;
}

export interface Stored {
  /** As the document says it, in one way only; without the name. */
  readonly fields: JsonObject;
  /** What else tells two states from each other. */
  readonly stamp?: Json;
  delete(stores: DescribedStores): Promise<unknown>;
}

export interface StoredById extends Stored {
  readonly id: number;
}

export interface Wanted {
  readonly place: FilePlace;
  readonly fields: JsonObject;
  /** Makes it so, whether or not there is one of its name. `note`: for the ledger. */
  save(stores: DescribedStores, note: string): Promise<unknown>;
}

/** What a document is held to besides its own words. */
export interface Terms {
  readonly providers: readonly KnownProvider[];
  readonly clock: Pick<Clock, "now">;
  /** Undefined for an address that no channel may have. */
  reachNeeded(url: URL): Reach | undefined;
  /** Who says it outside of the database, and so keeps it from being described here. */
  ownerOf(section: "settings" | "channels" | "models", name: string): string | undefined;
}

/** Whatever its objects are. */
export async function load<S extends Stored>(
  section: Section<S>,
  stores: DescribedStores,
): Promise<Loaded> {
  const stored = await section.load(stores);
  return { stored, read: (node, terms, report) => section.read(node, stored, terms, report) };
}

/** What the file or a variable says is not described here as well, unless it is already. */
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
  report(place, `belongs to ${owner}; change it there.`);
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** A decimal as a number, where that is the same digits. */
export function numeral(text: string): string | number {
  return String(Number(text)) === text ? Number(text) : text;
}

/** Always in one order. */
export function sorted<T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}

/** Of a list, the items by their names. */
export function listed(objects: readonly (readonly [string, JsonObject])[]): Json {
  return objects.map(([name, fields]) => ({ name, ...fields }));
}

const displayName = text(
  "a name of 1 to 100 visible characters without white space around it",
  /^(?!\s)[^\p{C}]{1,100}(?<!\s)$/u,
);

/** The items of a list by what people call them, which is more than an identifier can be. */
export function readNamed(
  node: FileNode,
  fields: readonly string[],
  report: Report,
  read: (form: Form, name: string) => Omit<Wanted, "place">,
): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const item of readItems(node, report)) {
    const form = openForm(item, fields, report);
    const name = form?.required("name", displayName);
    if (form === undefined || name === undefined) continue;
    const place = form.find("name")?.place ?? form.place;
    if (wanted.has(name)) report(place, "is a name that stands further up already.");
    wanted.set(name, { place, ...read(form, name) });
  }
  return wanted;
}

/** A map without some of its members, which somebody else reads. */
export function without(node: FileNode, names: readonly string[]): FileNode {
  if (node.kind !== "map") return node;
  const left = [...node.members].filter(([name]) => !names.includes(name));
  return { ...node, members: new Map(left) };
}

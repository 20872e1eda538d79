import type { ImportDocument, ImportedKind, ImportStores } from "#core/import.ts";
import { keyFor } from "./steps.ts";

/** Names and objects of an import that the gateway has already. */
export interface Present {
  /** Targets of earlier imports of this name, by kind and ref. */
  readonly imported: ReadonlyMap<string, string>;
  /** Names of the objects that exist, by id. */
  readonly alive: Readonly<
    Record<"channels" | "groups" | "teams" | "users", ReadonlyMap<string, string>>
  >;
  readonly names: { readonly [Kind in ImportedKind]: ReadonlySet<string> };
  readonly emails: ReadonlySet<string>;
  /** Digests of the import's secrets that keys here have. */
  readonly digests: ReadonlySet<string>;
  digestOf: ImportStores["keys"]["digestOf"];
  /** Names of the keys of a user of an earlier import, by the user's id. */
  readonly keyNames: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Owners {
  /** The place of the file, or the variable, that defines an object of this name. */
  ownerOf(section: "channels" | "models", name: string): string | undefined;
}

const PAGE = 1_000;
const AT_ONCE = 500;

export async function readPresent(
  document: ImportDocument,
  stores: ImportStores,
  { ownerOf }: Owners,
): Promise<Present> {
  const earlier = await stores.imported.list(document.source);
  const imported = new Map(earlier.map(({ kind, ref, target }) => [keyFor(kind, ref), target]));
  const targetsOf = (kind: ImportedKind): readonly string[] =>
    earlier.flatMap((each) => (each.kind === kind ? [each.target] : []));

  const channels = await stores.channels.list();
  const models = await stores.models.list();
  const groups = await allPages((after) => stores.groups.list(after, PAGE));
  const teams = await allPages((after) => stores.teams.list(after, PAGE));
  const users = await findUsers(document, targetsOf("users"), stores);
  const owned = (section: "channels" | "models"): readonly string[] =>
    document[section].flatMap(({ name }) => (ownerOf(section, name) === undefined ? [] : [name]));

  return {
    imported,
    alive: {
      channels: byId(channels),
      groups: byId(groups),
      teams: byId(teams),
      users: byId(users),
    },
    names: {
      channels: new Set([...channels.map(({ name }) => name), ...owned("channels")]),
      models: new Set([...models.map(({ name }) => name), ...owned("models")]),
      groups: new Set(groups.map(({ name }) => name)),
      teams: new Set(teams.map(({ name }) => name)),
      users: new Set(users.map(({ name }) => name)),
      members: new Set(),
      keys: new Set(),
    },
    emails: await findEmails(document, stores),
    digests: await findDigests(document, stores),
    digestOf: (secret) => stores.keys.digestOf(secret),
    keyNames: await findKeyNames(targetsOf("users"), stores),
  };
}

function byId(found: readonly { readonly id: number; readonly name: string }[]) {
  return new Map(found.map(({ id, name }) => [String(id), name]));
}

async function allPages<T extends { readonly id: number }>(
  read: (after: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (;;) {
    const page = await read(found.at(-1)?.id ?? 0);
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}

/** Users of earlier imports, and users with the names of this one. */
async function findUsers(
  { source, users }: ImportDocument,
  targets: readonly string[],
  stores: ImportStores,
) {
  const names = users.flatMap(({ name }) => [name, `${name}-${source}`]);
  const found: Awaited<ReturnType<ImportStores["users"]["findAll"]>>[number][] = [];
  const most = Math.max(targets.length, names.length);
  for (let i = 0; i < most; i += AT_ONCE) {
    const ids = targets.slice(i, i + AT_ONCE).map(Number);
    found.push(...(await stores.users.findAll({ ids, names: names.slice(i, i + AT_ONCE) })));
  }
  return found;
}

async function findEmails({ users }: ImportDocument, stores: ImportStores): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const { email } of users) {
    if (email === undefined) continue;
    const found = await stores.users.findByEmail(email);
    if (found !== undefined) taken.add(email);
  }
  return taken;
}

async function findDigests({ keys }: ImportDocument, stores: ImportStores): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { secret } of keys) {
    const digest = stores.keys.digestOf(secret);
    if (await stores.keys.isKnown(digest)) known.add(digest);
  }
  return known;
}

async function findKeyNames(ids: readonly string[], stores: ImportStores) {
  const names = new Map<string, ReadonlySet<string>>();
  for (const id of ids) names.set(id, new Set(await stores.keys.names(Number(id))));
  return names;
}

import type { Kysely, Selectable } from "kysely";
import type { ChannelOptions, ChannelProxy, Credential, ModelList } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import {
  destinationOf,
  type ChannelEntry,
  type ChannelRevision,
  type ChannelStore,
  type Destination,
  type StoredChannel,
} from "#core/stored-routing.ts";
import type { Overrides, ValueChanges } from "#core/overrides.ts";
import type { Clock } from "#lib/clock.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { defined, listOf, memberOf, numberOf } from "#lib/values.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { operationColumns, toOperation } from "./channel-operation.ts";
import { moveOn } from "./routing-version.ts";
import type { CredentialSealer } from "../secrets/sealed.ts";
import type { Tables } from "../tables.ts";
import type { ChannelsTable } from "../tables/channels.ts";
import { limitsOf } from "../tables/limit-columns.ts";
import { isUniqueViolation } from "../database/unique.ts";

interface ChannelStoreDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly credentialSealer: CredentialSealer;
}

type ChannelRow = Selectable<ChannelsTable>;

const STATUS = { enabled: 1, disabled: 2 } as const;
const MAX_CHANNELS = 1_000;

export function createChannelStore({
  db,
  clock,
  credentialSealer,
}: ChannelStoreDeps): ChannelStore {
  /**
   * Channels as of the last read. Health and tokens are keyed by credential
   * object, so an unchanged credential must keep its object.
   */
  const opened = new Map<number, Opened>();
  const proxies = new Map<number, { readonly text: string; readonly proxy: ChannelProxy }>();

  return {
    async list() {
      const rows = await db.selectFrom("channels").selectAll().orderBy("id").execute();
      const ids = new Set(rows.map(({ id }) => id));
      for (const known of [opened, proxies]) {
        for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      }
      return rows.map(toStored);
    },

    async find(id) {
      const row = await findRow(db, id);
      return row && toStored(row);
    },

    async create(entry) {
      const now = clock.now();
      const columns = { ...columnsOf(entry), created_at: now, updated_at: now };
      const row = await named(entry.name, () =>
        inTransaction(db, async (transaction) => {
          await moveOn(transaction);
          const { count } = await transaction
            .selectFrom("channels")
            .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
            .executeTakeFirstOrThrow();
          if (count >= MAX_CHANNELS) throw tooMany();
          await forgetState(transaction, entry.name);
          const { id } = await transaction
            .insertInto("channels")
            .values({ ...columns, credentials: "[]" })
            .returning("id")
            .executeTakeFirstOrThrow();
          return await transaction
            .updateTable("channels")
            .set({
              credentials: JSON.stringify(credentialSealer.seal(entry.credentials, id, entry)),
              ...loginColumn(entry.proxy, id),
            })
            .where("id", "=", id)
            .returningAll()
            .executeTakeFirstOrThrow();
        }),
      );
      return toStored(row);
    },

    async update(id, change) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const before = await findRow(transaction, id);
        if (before === undefined) return undefined;
        const { credentials, ...entry } = change(toStored(before));
        return await named(entry.name, async () => {
          const isKept =
            credentials === undefined &&
            destinationOf(toDestination(before)) === destinationOf(entry);
          const columns = {
            ...columnsOf(entry),
            ...loginColumn(entry.proxy, id, before),
            ...(isKept
              ? {}
              : {
                  credentials: JSON.stringify(credentialSealer.seal(credentials ?? [], id, entry)),
                }),
          };
          const now = clock.now();
          const row = await transaction
            .updateTable("channels")
            .set({ ...columns, ...nextRevision(before, columns, now), updated_at: now })
            .where("id", "=", id)
            .returningAll()
            .executeTakeFirstOrThrow();
          // Another account or address: the known state is not that of the channel any more.
          if (!isKept || row.name !== before.name) await forgetState(transaction, before.name);
          const had = sealedOf(before).length;
          return {
            channel: toStored(row),
            dropped: isKept || credentials !== undefined ? 0 : had,
          };
        });
      });
    },

    async delete(id, check) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const before = await findRow(transaction, id);
        if (before === undefined) return false;
        check?.(toStored(before));
        await forgetState(transaction, before.name);
        const { numDeletedRows } = await transaction
          .deleteFrom("channels")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      });
    },
  };

  function toStored(row: ChannelRow): StoredChannel {
    const sealed = sealedOf(row);
    const proxy = proxyOf(row);
    const credentials = proxy === "sealed" ? [] : credentialsOf(row, sealed);
    const entry = {
      name: row.name,
      ...toDestination(row),
      credentials: credentials ?? [],
      models: toModelList(row.models),
      priority: row.priority,
      weight: row.weight / 1_000,
      isEnabled: row.status === STATUS.enabled,
      reach: row.reach,
      id: row.id,
      revision: row.revision,
      changes: toChanges(row.changes),
      sealedCredentials:
        (credentials === undefined ? sealed.length : 0) + (proxy === "sealed" ? 1 : 0),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
    const { style, max_concurrent: maxConcurrent } = row;
    return {
      ...entry,
      ...defined({
        style: style ?? undefined,
        maxConcurrent: maxConcurrent ?? undefined,
        limits: limitsOf({ ...row, concurrency: null }),
        modelPrefix: row.model_prefix ?? undefined,
        overrides: row.overrides === null ? undefined : toOverrides(row.overrides),
        ...toOperation(row),
        proxy: proxy === "sealed" ? undefined : proxy,
        priceFactor: row.price_factor ?? undefined,
        notes: row.notes ?? undefined,
        tags: toTags(row.tags),
      }),
    };
  }

  /** Unchanged, it is the same object: connections are kept by it. */
  function proxyOf({ id, proxy: url, proxy_login: sealed }: ChannelRow) {
    if (url === null) return undefined;
    const text = JSON.stringify([url, sealed]);
    const known = proxies.get(id);
    if (known?.text === text) return known.proxy;
    const opened = sealed === null ? [] : credentialSealer.open([sealed], id, proxyAt(url));
    if (opened === undefined) return "sealed";
    const [login] = opened;
    const proxy: ChannelProxy = { url, ...defined({ login }) };
    proxies.set(id, { text, proxy });
    return proxy;
  }

  function loginColumn(proxy: ChannelProxy | undefined, id: number, before?: ChannelRow) {
    if (proxy?.login === undefined) return { proxy_login: null };
    const isKept = before !== undefined && proxyOf(before) === proxy;
    if (isKept) return { proxy_login: before.proxy_login };
    const [sealed = null] = credentialSealer.seal([proxy.login], id, proxyAt(proxy.url));
    return { proxy_login: sealed };
  }

  function credentialsOf(
    row: ChannelRow,
    sealed: readonly string[],
  ): readonly Credential[] | undefined {
    const known = opened.get(row.id);
    const destination = toDestination(row);
    const to = destinationOf(destination);
    if (known?.text === row.credentials && known.to === to) return known.credentials;
    const credentials = credentialSealer.open(sealed, row.id, destination);
    if (credentials === undefined) opened.delete(row.id);
    else opened.set(row.id, { text: row.credentials, to, credentials });
    return credentials;
  }
}

/** A login opens for its own proxy only. */
function proxyAt(url: string): Destination {
  return { provider: "proxy", options: { url } };
}

interface Opened {
  /** Value of the `credentials` column. */
  readonly text: string;
  readonly to: string;
  readonly credentials: readonly Credential[];
}

async function forgetState(transaction: Kysely<Tables>, channel: string): Promise<void> {
  await transaction.deleteFrom("channel_states").where("channel", "=", channel).execute();
  await transaction.deleteFrom("channel_balances").where("channel", "=", channel).execute();
}

async function findRow(db: Kysely<Tables>, id: number): Promise<ChannelRow | undefined> {
  return await db.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirst();
}

async function named<T>(name: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause;
    throw invalid("name", `A channel named '${name}' already exists. Choose another name.`);
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The limit of ${MAX_CHANNELS} channels is reached. Delete some first.`,
  );
}

function columnsOf(entry: Omit<ChannelEntry, "credentials">) {
  const { name, provider, baseUrl, reach, models, style, options, priority, weight } = entry;
  return {
    name,
    provider,
    base_url: baseUrl ?? null,
    reach,
    models: models.kind === "discover" ? null : JSON.stringify([...models.upstreamNames]),
    style: style ?? null,
    options: options === undefined ? null : JSON.stringify(options),
    priority,
    weight: Math.round(weight * 1_000),
    max_concurrent: entry.maxConcurrent ?? null,
    requests_per_minute: entry.limits?.requestsPerMinute ?? null,
    tokens_per_minute: entry.limits?.tokensPerMinute ?? null,
    status: entry.isEnabled ? STATUS.enabled : STATUS.disabled,
    model_prefix: entry.modelPrefix ?? null,
    overrides: entry.overrides === undefined ? null : JSON.stringify(entry.overrides),
    ...operationColumns(entry),
    price_factor: entry.priceFactor ?? null,
    notes: entry.notes ?? null,
    tags: JSON.stringify(entry.tags ?? []),
  };
}

const MAX_CHANGES = 20;

/** Fields of the API by the columns that have another name. */
const FIELDS: Readonly<Record<string, string>> = {
  credentials: "api_keys",
  proxy_login: "proxy",
  requests_per_minute: "limits",
  tokens_per_minute: "limits",
};

/** A change of nothing makes no revision. */
function nextRevision(
  before: ChannelRow,
  columns: Partial<ChannelRow>,
  at: number,
): Pick<ChannelRow, "revision" | "changes"> {
  const { revision, changes } = before;
  const had: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(columns).filter(([name, value]) => had[name] !== value);
  if (changed.length === 0) return { revision, changes };
  const fields = [...new Set(changed.map(([name]) => FIELDS[name] ?? name))];
  const change: ChannelRevision = { revision: revision + 1, at, fields };
  return {
    revision: revision + 1,
    changes: JSON.stringify([...toChanges(changes), change].slice(-MAX_CHANGES)),
  };
}

function toChanges(text: string): readonly ChannelRevision[] {
  return listOf(parseJson(text)).flatMap((each) => {
    const revision = numberOf(memberOf(each, "revision"));
    const at = numberOf(memberOf(each, "at"));
    if (revision === undefined || at === undefined) return [];
    return [{ revision, at, fields: textsOf(memberOf(each, "fields")) }];
  });
}

function toOverrides(text: string): Overrides | undefined {
  const json = parseJson(text);
  const textual = (value: Json): string | undefined =>
    typeof value === "string" ? value : undefined;
  return defined({
    headers: toValueChanges(memberOf(json, "headers"), textual),
    query: toValueChanges(memberOf(json, "query"), textual),
    body: toValueChanges(memberOf(json, "body"), (value) => value),
  });
}

function toValueChanges<T>(
  json: Json | undefined,
  read: (value: Json) => T | undefined,
): ValueChanges<T> | undefined {
  if (!isObject(json)) return undefined;
  const record = (name: string): Record<string, T> | undefined => {
    const given = json[name];
    if (!isObject(given)) return undefined;
    const entries = Object.entries(given).flatMap(([key, value = null]): [string, T][] => {
      const known = read(value);
      return known === undefined ? [] : [[key, known]];
    });
    return Object.fromEntries(entries);
  };
  const { remove } = json;
  return defined({
    set: record("set"),
    default: record("default"),
    remove: remove === undefined ? undefined : textsOf(remove),
  });
}

function toTags(text: string): readonly string[] | undefined {
  const tags = textsOf(parseJson(text));
  return tags.length === 0 ? undefined : tags;
}

function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

function toDestination(row: ChannelRow): Destination {
  return {
    provider: row.provider,
    ...(row.base_url === null ? {} : { baseUrl: row.base_url }),
    ...(row.options === null ? {} : { options: toOptions(row.options) }),
  };
}

function toOptions(text: string): ChannelOptions {
  const json = parseJson(text);
  const given = isObject(json) ? Object.entries(json) : [];
  return Object.fromEntries(
    given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])),
  );
}

function toModelList(text: string | null): ModelList {
  if (text === null) return { kind: "discover" };
  const pairs = listOf(parseJson(text)).flatMap((pair) => {
    const [name, upstream] = isArray(pair) ? pair : [];
    return typeof name === "string" && typeof upstream === "string"
      ? [[name, upstream] as const]
      : [];
  });
  return { kind: "listed", upstreamNames: new Map(pairs) };
}

function sealedOf({ credentials }: ChannelRow): readonly string[] {
  return textsOf(parseJson(credentials));
}

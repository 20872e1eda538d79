import type { ModelList, Reach } from "#core/channel.ts";
import { destinationOf, type ChannelDraft, type StoredChannel } from "#core/stored-routing.ts";
import { writeThousandths } from "#core/money.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { channelOf, channelSchema } from "../documents/channel.ts";
import { ALWAYS, chosen, isMap, list, uniqueNames } from "../documents/fields.ts";
import { operationFields } from "../documents/channel-operation.ts";
import { withStoredLogin } from "../documents/channel-proxy.ts";
import { overrideFields } from "../documents/overrides.ts";
import type { Report } from "../mistakes.ts";
import { choice } from "../parsers.ts";
import { findNode, readDocument } from "../read-document.ts";
import type { MapNode } from "../tree.ts";
import { placeholdersOf, readCredentials } from "./credentials.ts";
import { limitFields } from "./limits.ts";
import {
  listed,
  numeral,
  reportOwned,
  type Section,
  sorted,
  type Stored,
  type Terms,
  type Wanted,
} from "./section.ts";

const status = choice("enabled", "disabled");

interface StoredEntry extends Stored {
  readonly channel: StoredChannel;
}

export const channels: Section<StoredEntry> = {
  async load(stores) {
    const found = await stores.channels.list();
    return new Map(
      found.map((channel) => [
        channel.name,
        {
          channel,
          fields: fieldsOf(channel, channel.isEnabled, placeholdersOf(channel)),
          stamp: [channel.id, channel.updatedAt, channel.revision],
          delete: (on) => on.channels.delete(channel.id),
        },
      ]),
    );
  },

  read(node, stored, terms, report) {
    const wanted = new Map<string, Wanted>();
    if (node.kind === "empty") return wanted;
    const schema = list(channelFor(stored, terms)).superRefine(uniqueNames, ALWAYS);
    const items = readDocument(schema, node, report) ?? [];
    for (const [index, { status: state, ...given }] of items.entries()) {
      const item = findNode(node, [index]);
      if (item?.kind !== "map") continue;
      const draft = channelOf(given);
      const before = stored.get(draft.name);
      const entry = readEntry(item, draft, state !== "disabled", before, terms, report);
      reportOwned("channels", draft.name, entry, before, terms, report);
      wanted.set(draft.name, entry);
    }
    return wanted;
  },

  write: listed,
};

/** A stored channel without credentials may stay without. */
function channelFor(stored: ReadonlyMap<string, StoredEntry>, { providers }: Terms) {
  const more = {
    status: status.schema.describe("`enabled` by default.").optional(),
  };
  const needing = channelSchema({ providers }, more);
  const keyless = channelSchema({ providers, isKeyOptional: true }, more);
  return chosen((given) => {
    const before = isMap(given) ? stored.get(String(given["name"])) : undefined;
    const isKeyOptional = before !== undefined && placeholdersOf(before.channel).length === 0;
    return isKeyOptional ? keyless : needing;
  });
}

function readEntry(
  item: MapNode,
  { credentials, proxy: given, ...said }: ChannelDraft,
  isEnabled: boolean,
  before: StoredEntry | undefined,
  terms: Terms,
  report: Report,
): Wanted {
  const channel = before?.channel;
  const proxy = given && withStoredLogin(given, channel?.proxy);
  if (given !== undefined && proxy === undefined) {
    report(item.members.get("proxy")?.node.place ?? item.place, STALE_LOGIN);
  }
  const draft = { ...said, ...defined({ proxy }) };
  const place = item.members.get("api_keys")?.place ?? item.members.get("api_key")?.place;
  const kept = readCredentials(credentials, draft, channel, place ?? item.place, report);
  const reach = reachOf(item, draft, channel, terms, report);
  return {
    place: item.members.get("name")?.node.place ?? item.place,
    fields: fieldsOf(draft, isEnabled, kept.shown),
    save: ({ channels: store }) => {
      const entry = { ...draft, isEnabled, reach };
      return channel === undefined
        ? store.create({ ...entry, credentials: kept.credentials ?? [] })
        : store.update(channel.id, () => ({
            ...entry,
            ...defined({ credentials: kept.credentials }),
          }));
    },
  };
}

const STALE_LOGIN =
  "has the placeholder of a login that is not stored for this address. Write the login itself.";

/** Only root can apply documents, and root may open private networks. */
function reachOf(
  item: MapNode,
  draft: Omit<ChannelDraft, "credentials">,
  before: StoredChannel | undefined,
  { reachNeeded }: Terms,
  report: Report,
): Reach {
  if (before !== undefined && destinationOf(before) === destinationOf(draft)) return before.reach;
  const url = URL.parse(draft.baseUrl ?? "");
  if (url !== null && reachNeeded(url) === undefined) {
    const place = item.members.get("base_url")?.node.place ?? item.place;
    report(place, "must not lead to link-local or metadata addresses.");
  }
  return "private";
}

function fieldsOf(
  channel: Omit<ChannelDraft, "credentials">,
  isEnabled: boolean,
  keys: readonly string[],
): JsonObject {
  const { provider, baseUrl, models, style, options, priority, weight, maxConcurrent } = channel;
  return {
    provider,
    ...defined({ base_url: baseUrl }),
    ...(keys.length === 0 ? {} : { api_keys: keys }),
    ...(models.kind === "discover" ? {} : { models: modelNames(models) }),
    ...defined({ model_prefix: channel.modelPrefix }),
    ...defined({ style, options: options && Object.fromEntries(sorted(Object.entries(options))) }),
    ...(priority === 0 ? {} : { priority }),
    ...(weight === 1 ? {} : { weight }),
    ...defined({ max_concurrent: maxConcurrent }),
    ...limitFields("limits", channel.limits),
    ...overrideFields(channel.overrides),
    ...operationFields(channel),
    ...(channel.priceFactor === undefined
      ? {}
      : { price_factor: numeral(writeThousandths(channel.priceFactor)) }),
    ...defined({ notes: channel.notes, tags: channel.tags }),
    ...(isEnabled ? {} : { status: "disabled" }),
  };
}

function modelNames({ upstreamNames }: Extract<ModelList, { kind: "listed" }>): Json {
  return [...upstreamNames].map(([name, upstream]) =>
    name === upstream ? name : { name, upstream },
  );
}

import type { ModelList, Reach } from "#core/channel.ts";
import { destinationOf, type ChannelDraft, type StoredChannel } from "#core/stored-routing.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { providerAmong, readChannel } from "../channels.ts";
import { openForm, readItems } from "../form.ts";
import type { Report } from "../mistakes.ts";
import { choice } from "../parsers.ts";
import type { MapNode } from "../tree.ts";
import { placeholdersOf, readCredentials } from "./credentials.ts";
import { limitFields } from "./limits.ts";
import {
  listed,
  reportOwned,
  type Section,
  sorted,
  type Stored,
  type Terms,
  type Wanted,
  without,
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
          stamp: [channel.id, channel.updatedAt],
          delete: (on) => on.channels.delete(channel.id),
        },
      ]),
    );
  },

  read(node, stored, terms, report) {
    const wanted = new Map<string, Wanted>();
    const known = { provider: providerAmong(terms.providers), takenNames: new Set<string>() };
    for (const item of readItems(node, report)) {
      const before = stored.get(nameIn(item.kind === "map" ? item : undefined));
      // A stored channel without credentials may stay without.
      const isKeyOptional = before !== undefined && placeholdersOf(before.channel).length === 0;
      const draft = readChannel(without(item, ["status"]), { ...known, isKeyOptional }, report);
      if (draft === undefined || item.kind !== "map") continue;
      const entry = readEntry(item, draft, before, terms, report);
      reportOwned("channels", draft.name, entry, before, terms, report);
      wanted.set(draft.name, entry);
    }
    return wanted;
  },

  write: listed,
};

function readEntry(
  item: MapNode,
  { credentials, ...draft }: ChannelDraft,
  before: StoredEntry | undefined,
  terms: Terms,
  report: Report,
): Wanted {
  const channel = before?.channel;
  const isEnabled = statusIn(item, report) === "enabled";
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

function nameIn(item: MapNode | undefined): string {
  const node = item?.members.get("name")?.node;
  return node?.kind === "text" ? node.text : "";
}

function statusIn(item: MapNode, report: Report): string {
  const said = new Map([...item.members].filter(([name]) => name === "status"));
  const form = openForm({ ...item, members: said }, ["status"], report);
  return form?.optional("status", status) ?? "enabled";
}

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
    ...defined({ style, options: options && Object.fromEntries(sorted(Object.entries(options))) }),
    ...(priority === 0 ? {} : { priority }),
    ...(weight === 1 ? {} : { weight }),
    ...defined({ max_concurrent: maxConcurrent }),
    ...limitFields("limits", channel.limits),
    ...(isEnabled ? {} : { status: "disabled" }),
  };
}

function modelNames({ upstreamNames }: Extract<ModelList, { kind: "listed" }>): Json {
  return [...upstreamNames].map(([name, upstream]) =>
    name === upstream ? name : { name, upstream },
  );
}

import { z } from "zod";
import { CHANNEL_FIELDS } from "#config/documents/channel.ts";
import type { ChannelProxy, Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { StoredChannel } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import type { ListedChannel } from "#relay/routing/channel-registry.ts";
import { succeed } from "../envelope.ts";
import { documentFields, optional } from "../fields.ts";
import { management } from "../management.ts";
import { describe } from "./channel-json.ts";
import { checkRevision } from "./check-revision.ts";
import { channelsWith } from "./find-channel.ts";
import { changeOf } from "./update-channel.ts";

const MAX_IDS = 1_000;

/** The others, besides the identity, the address and the models of a channel, may be shared. */
const {
  name: _name,
  provider: _provider,
  base_url: _address,
  api_key: _key,
  api_keys: _keys,
  models: _models,
  style: _style,
  options: _options,
  ...SHARED_FIELDS
} = CHANNEL_FIELDS;

const CHANGE = z.strictObject({
  ...documentFields(SHARED_FIELDS),
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled.")),
});

const LABELS = z.array(z.string().min(1).max(64)).max(32);

const REQUEST = z.strictObject({
  ids: optional(z.array(z.int().min(1)).min(1).max(MAX_IDS).describe("Ids of stored channels.")),
  tag: optional(
    z
      .string()
      .min(1)
      .max(1_000)
      .describe(
        "Instead of `ids`: the channels with this label; of several, separated by commas, with all.",
      ),
  ),
  change: CHANGE.describe("Fields of each channel; absent ones stay, null restores the default."),
  add_tags: optional(LABELS.describe("Labels to add to those of each channel.")),
  remove_tags: optional(LABELS.describe("Labels to remove.")),
  apply: optional(z.boolean().describe("Makes the change; otherwise it is only shown.")),
  plan: optional(
    z
      .string()
      .max(64)
      .describe("`plan` of an earlier answer: the change is only made if it is still the same."),
  ),
});

const PLAN = z.object({
  applied: z.boolean(),
  plan: z.string().describe("Send it back with `apply` to make exactly this change."),
  items: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      revision: z.int().describe("Before the change."),
      changes: z
        .record(z.string(), z.object({ before: z.unknown(), after: z.unknown() }))
        .describe("By field; empty if nothing changes."),
    }),
  ),
  skipped: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe("Channels with the label that are not stored here."),
});

type Deps = Pick<
  RoutingDeps,
  "channelRegistry" | "channelStore" | "channelCare" | "reachNeeded" | "readChannel"
>;
type Given = z.output<typeof REQUEST>;

interface Planned {
  readonly stored: StoredChannel;
  readonly changes: Readonly<Record<string, { readonly before: Json; readonly after: Json }>>;
  /** The login of a proxy if it changes; it is never shown. */
  readonly newLogin: Credential | undefined;
}

export const changeChannels = management({
  operationId: "changeChannels",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/bulk",
  access: "admin",
  scope: "channels:write",
  summary:
    "Shows a change of several channels, by ids or by label, and makes it with `apply`. With the " +
    "`plan` that was shown, nothing is changed with 409 if a channel changed since.",
  body: REQUEST,
  data: PLAN,

  async handle(exchange, deps: Deps, { body: given }) {
    const actor = requireUser(exchange);
    const { stored, skipped } = await targetsOf(given, deps);
    const planned = stored.map((each) => plannedFor(each, given, actor, deps));
    const plan = deps.channelCare.digestPlan(textOfPlan(planned));
    if (given.plan !== undefined && given.plan !== plan) throw outdated();
    const isApplied = given.apply === true;
    if (isApplied) await apply(planned, given, actor, deps);
    return succeed(exchange.id, isApplied ? "The channels were changed." : "", {
      applied: isApplied,
      plan,
      items: planned.map(({ stored: { id, name, revision }, changes }) => ({
        id,
        name,
        revision,
        changes,
      })),
      skipped: skipped.map(({ channel: { name }, owner = "" }) => ({
        name,
        reason: `The channel is defined in ${owner}. Change it there.`,
      })),
    });
  },
});

async function targetsOf(
  { ids, tag }: Given,
  { channelRegistry, channelStore }: Deps,
): Promise<{
  readonly stored: readonly StoredChannel[];
  readonly skipped: readonly ListedChannel[];
}> {
  if ((ids === undefined) === (tag === undefined)) {
    throw new GatewayError("invalid_request", "Give either 'ids' or 'tag'.");
  }
  const found = tag === undefined ? [] : channelsWith(tag, channelRegistry);
  const wanted = ids ?? found.flatMap(({ stored }) => stored?.id ?? []);
  const all = new Map((await channelStore.list()).map((each) => [each.id, each]));
  const stored = [...new Set(wanted)].map((id) => {
    const channel = all.get(id);
    if (channel === undefined) throw new GatewayError("not_found", `Channel ${id} not found.`);
    return channel;
  });
  return { stored, skipped: found.filter((each) => each.stored === undefined) };
}

function plannedFor(stored: StoredChannel, given: Given, actor: User, deps: Deps): Planned {
  const change = changeOf(stored, bodyFor(stored, given), actor, deps);
  const before: JsonObject = { status: stored.isEnabled ? 1 : 2, ...describe(stored) };
  const shown: JsonObject = { status: change.isEnabled ? 1 : 2, ...describe(change) };
  const newLogin = newLoginOf(stored.proxy, change.proxy);
  const after =
    newLogin === undefined ? shown : { ...shown, proxy: `${textOf(shown["proxy"])} (new login)` };
  const changes = Object.entries(before).flatMap(([name, value = null]) => {
    const next = after[name] ?? null;
    const isSame = JSON.stringify(value) === JSON.stringify(next);
    return isSame ? [] : [[name, { before: value, after: next }] as const];
  });
  return { stored, changes: Object.fromEntries(changes), newLogin };
}

/** A login is never shown, so that a new one would look like the old one. */
function newLoginOf(
  before: ChannelProxy | undefined,
  after: ChannelProxy | undefined,
): Credential | undefined {
  return after?.login?.open() === before?.login?.open() ? undefined : after?.login;
}

function bodyFor(
  { tags: had = [] }: StoredChannel,
  { change, add_tags: added = [], remove_tags: removed = [] }: Given,
): z.output<typeof CHANGE> {
  if (added.length === 0 && removed.length === 0) return change;
  const kept = had.filter((each) => !removed.includes(each) && !added.includes(each));
  return { ...change, tags: [...kept, ...added] };
}

/** With the logins themselves: a plan that was shown for one is not applied with another. */
function textOfPlan(planned: readonly Planned[]): string {
  return JSON.stringify(
    planned.map(({ stored: { id, revision }, changes, newLogin }) => [
      id,
      revision,
      changes,
      newLogin?.open() ?? null,
    ]),
  );
}

/** Each channel by itself: one that changed since the plan ends the change with 409. */
async function apply(
  planned: readonly Planned[],
  given: Given,
  actor: User,
  deps: Deps,
): Promise<void> {
  const { channelStore, channelRegistry, channelCare } = deps;
  try {
    for (const { stored, changes } of planned) {
      if (Object.keys(changes).length === 0) continue;
      await channelStore.update(stored.id, (current) => {
        checkRevision(current, stored.revision);
        return changeOf(current, bodyFor(current, given), actor, deps);
      });
    }
  } finally {
    await channelRegistry.load();
  }
  if (given.change.status !== 1) return;
  for (const { stored } of planned) await channelCare.watch.enable(stored.name, actor.name);
}

function outdated(): GatewayError {
  return new GatewayError(
    "revision_outdated",
    "The channels changed since the plan was shown. Read the new plan and apply that.",
    { param: "plan" },
  );
}

import { withStoredLogin } from "#config/documents/channel-proxy.ts";
import type { ChannelProxy } from "#core/channel.ts";
import { invalid } from "#core/error.ts";
import { defined } from "#lib/values.ts";
import { destinationOf, type ChannelChange, type StoredChannel } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { CHANGED_CHANNEL, descriptionIn, reachFor, type ChangedChannel } from "./channel-fields.ts";
import { CHANNEL, describe } from "./channel-json.ts";
import { checkRevision, expectedRevision } from "./check-revision.ts";
import { findStored, noSuchChannel, refuseOwnedName } from "./find-channel.ts";
import { showStored } from "./show-stored.ts";

export const updateChannel = management({
  operationId: "updateChannel",
  tag: "Channels",
  method: "PUT",
  path: "/api/channel/:id",
  access: "admin",
  scope: "channels:write",
  summary:
    "Changes a channel. Absent fields stay unchanged; null restores the default. " +
    "A new provider, address or option deletes the credentials, unless new ones are given. " +
    "With `revision` or `If-Match`, a channel that changed since is refused with 409.",
  body: CHANGED_CHANNEL,
  data: CHANNEL,

  async handle(
    exchange,
    deps: Pick<
      RoutingDeps,
      "channelRegistry" | "channelStore" | "channelCare" | "reachNeeded" | "readChannel" | "relay"
    >,
    { body },
  ) {
    const { id } = await findStored(exchange, deps);
    const actor = requireUser(exchange);
    const expected = expectedRevision(exchange, body.revision);
    const changed = await deps.channelStore.update(id, (stored) => {
      checkRevision(stored, expected);
      return changeOf(stored, body, actor, deps);
    });
    if (changed === undefined) throw noSuchChannel();
    // Also if it was only the gateway that disabled it.
    const { name: channelName } = changed.channel;
    const isEnabled =
      body.status === 1 && (await deps.channelCare.watch.enable(channelName, actor.name));
    if (!isEnabled) await deps.channelRegistry.load();
    return succeed(exchange.id, told(changed.dropped), showStored(id, deps));
  },
});

/** The stored fields, overwritten by the fields of the body. */
export function changeOf(
  stored: StoredChannel,
  body: Partial<ChangedChannel>,
  actor: User,
  deps: Pick<RoutingDeps, "channelRegistry" | "reachNeeded" | "readChannel">,
): ChannelChange {
  const description = { ...describe(stored), ...descriptionIn(body) };
  const read = deps.readChannel(description, { isKeyOptional: true });
  const draft = { ...read, ...defined({ proxy: read.proxy && proxyFor(read.proxy, stored) }) };
  if (draft.name !== stored.name) refuseOwnedName(draft.name, deps.channelRegistry);

  const { credentials: given, ...said } = draft;
  const credentials = given.length > 0 || takesThemBack(body) ? given : undefined;
  const isSame =
    destinationOf(draft) === destinationOf(stored) && draft.proxy?.url === stored.proxy?.url;
  // Root may also allow private networks for an address that another admin entered.
  const isGiven = !isSame || (actor.role === "root" && "base_url" in body);
  return {
    ...said,
    ...(credentials === undefined ? {} : { credentials }),
    isEnabled: body.status === undefined ? stored.isEnabled : body.status === 1,
    reach: isGiven ? reachFor(draft, actor, deps) : stored.reach,
  };
}

function proxyFor(given: ChannelProxy, { proxy }: StoredChannel): ChannelProxy {
  const known = withStoredLogin(given, proxy);
  if (known !== undefined) return known;
  throw invalid(
    "proxy",
    "'proxy' has a placeholder, but no login is stored for this address. Give the login itself.",
  );
}

/** Whether the change removes the stored credentials and sets none. */
function takesThemBack(body: Partial<ChangedChannel>): boolean {
  return body.api_key === null || body.api_keys === null;
}

function told(dropped: number): string {
  if (dropped === 0) return "The channel was changed.";
  return (
    "The channel was changed. Its credentials were deleted, because its address changed and calls " +
    "would send them there. If the provider needs a credential, set a new one."
  );
}

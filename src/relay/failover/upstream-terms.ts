import type { Channel, Credential } from "#core/channel.ts";
import type { UpstreamRequest } from "#egress/egress.ts";
import { defined } from "#lib/values.ts";
import type { Provider } from "#providers/provider.ts";
import { poolOf } from "./pools.ts";

/** A channel and its vendor. */
interface Destination {
  readonly channel: Channel;
  readonly provider: Pick<Provider, "authorize" | "exchange" | "baseUrlOf"> & {
    readonly baseUrl?: string | undefined;
  };
}

export type UpstreamTerms = Pick<
  UpstreamRequest,
  | "pool"
  | "reach"
  | "proxy"
  | "timeout"
  | "credential"
  | "hidesAddress"
  | "authorize"
  | "exchange"
  | "options"
  | "overrides"
>;

/**
 * The part of every upstream request that depends on its channel and credential. All requests of
 * the relay use it, so that none omits the network restrictions or the token exchange. `service`: a
 * separate connection pool for a service.
 */
export function upstreamTerms(
  to: Destination,
  credential: Credential | undefined,
  service?: string,
): UpstreamTerms {
  if (service === undefined) return termsOf(to, credential);
  // A service of a vendor may take another proof of the same credential than its models.
  const terms = buildTerms(to, credential);
  return { ...terms, pool: `${terms.pool}/${service}` };
}

/** By channel and credential, which are replaced as a whole if they change. */
const known = new WeakMap<Channel, Map<Credential | undefined, UpstreamTerms>>();

function termsOf(to: Destination, credential: Credential | undefined): UpstreamTerms {
  let ofChannel = known.get(to.channel);
  if (ofChannel === undefined) known.set(to.channel, (ofChannel = new Map()));
  let terms = ofChannel.get(credential);
  if (terms === undefined) ofChannel.set(credential, (terms = buildTerms(to, credential)));
  return terms;
}

function buildTerms(
  { channel, provider }: Destination,
  credential: Credential | undefined,
): UpstreamTerms {
  return {
    pool: poolOf(channel, credential),
    ...(channel.reach === undefined ? {} : { reach: channel.reach }),
    ...defined({ proxy: channel.proxy, timeout: channel.timeout }),
    credential,
    ...(isAtDefaultAddress({ channel, provider }) ? {} : { hidesAddress: true as const }),
    authorize: provider.authorize,
    ...(provider.exchange === undefined ? {} : { exchange: provider.exchange }),
    ...(channel.options === undefined ? {} : { options: channel.options }),
    ...(channel.overrides === undefined ? {} : { overrides: channel.overrides }),
  };
}

/** The channel has no address of its own: the vendor's well-known address is no secret. */
export function isAtDefaultAddress({ channel, provider }: Destination): boolean {
  return channel.baseUrl === "" || channel.baseUrl === provider.baseUrl;
}

/** The channel's address, or the one that its provider derives from its options. */
export function addressOf({ channel, provider }: Destination): string {
  return channel.baseUrl || (provider.baseUrlOf?.(channel.options ?? {}) ?? "");
}

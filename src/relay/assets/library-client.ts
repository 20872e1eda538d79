import type { AssetAction } from "#core/asset-format.ts";
import type { AssetPlace } from "#core/asset.ts";
import type { Channel, Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { credentialsWith } from "#egress/credentials-with.ts";
import type { Egress } from "#egress/egress.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { findProvider } from "#providers/index.ts";
import type { AssetService } from "#providers/provider.ts";
import { upstreamTerms } from "../failover/upstream-terms.ts";

export interface LibraryClientDeps {
  readonly egress: Egress;
  /** All channels, including those that accept no new calls. */
  listChannels(): readonly Channel[];
}

/** The asset library of one vendor account. */
export interface LibraryAccount {
  readonly channel: Channel;
  readonly service: AssetService;
  readonly credential: Credential;
  readonly url: string;
}

/** For new objects: always the first channel that has a library. */
export function firstAccount({ listChannels }: LibraryClientDeps): LibraryAccount | undefined {
  const inOrder = listChannels().toSorted(
    (a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1),
  );
  for (const channel of inOrder) {
    const [account] = accountsOf(channel);
    if (account !== undefined) return account;
  }
  return undefined;
}

/** For existing objects; undefined if the channel or its library no longer exists. */
export function findAccount(
  { channel: name, account }: Pick<AssetPlace, "channel" | "account">,
  { listChannels }: LibraryClientDeps,
): LibraryAccount | undefined {
  const channel = listChannels().find((each) => each.name === name);
  const accounts = channel === undefined ? [] : accountsOf(channel);
  // With a single credential, a replaced key opens the same account.
  const only = accounts.length === 1 ? accounts[0] : undefined;
  return accounts.find(({ credential }) => credential.label === account) ?? only;
}

/** Throws if the account no longer exists. */
export function accountFor(
  place: Pick<AssetPlace, "channel" | "account">,
  deps: LibraryClientDeps,
): LibraryAccount {
  const account = findAccount(place, deps);
  if (account !== undefined) return account;
  throw new GatewayError(
    "upstream_failed",
    "The channel of this asset, or its access key, no longer exists.",
  );
}

function accountsOf(channel: Channel): readonly LibraryAccount[] {
  const service = findProvider(channel.provider)?.assets;
  const url = service?.urlOf(channel);
  if (service === undefined || url === undefined) return [];
  return credentialsWith(channel, (secret) => service.hasKey(secret)).map((credential) => ({
    channel,
    service,
    credential,
    url,
  }));
}

/** Requests and responses are small. */
const ANSWER_MS = 30_000;
const MAX_ANSWER_CHARS = 1024 * 1024;
const AT_ONCE = 16;
const WAITING = 256;
const lines = new WeakMap<Channel, Semaphore>();

/** Sends a request to a vendor's library, with retries. Throws the vendor's error. */
export async function request<Input, Output>(
  { channel, service, credential, url }: LibraryAccount,
  { action, isOnce, build, parse }: AssetAction<Input, Output>,
  input: Input,
  { egress }: Pick<LibraryClientDeps, "egress">,
): Promise<Output> {
  const { style, membersOf } = service;
  const baseUrl = findProvider(channel.provider)?.baseUrl;
  const options = channel.options ?? {};
  using _place = await lineFor(channel);
  using reply = await egress.send({
    url: new URL(url + style.queryOf(action)),
    method: "POST",
    body: JSON.stringify({ ...build(input), ...membersOf(options) }),
    ...upstreamTerms({ channel, provider: { ...service, baseUrl } }, credential, "assets"),
    isStream: false,
    isOnce: isOnce === true,
    headMs: ANSWER_MS,
  });
  const text =
    reply.status === 200
      ? new TextDecoder().decode(await reply.readAll())
      : await reply.readFailure(MAX_ANSWER_CHARS);
  return parse(style.readResult(reply.status, text));
}

async function lineFor(channel: Channel): Promise<Disposable> {
  let line = lines.get(channel);
  if (line === undefined) lines.set(channel, (line = new Semaphore(AT_ONCE, WAITING)));
  const place = await line.enter();
  if (place !== undefined) return place;
  throw new GatewayError("overloaded", "Too many requests for assets at once.", {
    retryAfterMs: 1_000,
  });
}

/** The outcome is unknown: a retry might repeat the action. */
export function isAmbiguous(error: GatewayError): boolean {
  return error.code === "upstream_failed" || error.code === "upstream_timeout";
}

/** Creates an object at the vendor, without retries. */
export async function requestOnce<Input, Output>(
  account: LibraryAccount,
  action: AssetAction<Input, Output>,
  input: Input,
  deps: Pick<LibraryClientDeps, "egress">,
): Promise<Output> {
  try {
    return await request(account, action, input, deps);
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (!isAmbiguous(error)) throw error;
    const message = "The result at the upstream is unknown. Check it before you retry.";
    throw new GatewayError(error.code, message, { cause: error });
  }
}

import type { Channel, Credential } from "#core/channel.ts";

/**
 * The connection pool of a request: one per channel, address and credential. A new address or
 * credential of a channel gets a new pool.
 */
export function poolOf(channel: Channel, credential: Credential | undefined): string {
  const { name, baseUrl, reach = "", proxy } = channel;
  const via =
    proxy === undefined
      ? ""
      : ` ${proxy.url} ${proxy.login === undefined ? "" : serialOf(proxy.login)}`;
  return `${name} ${baseUrl} ${reach} ${credential === undefined ? "" : serialOf(credential)}${via}`;
}

/** Every pool of a channel. */
export function poolsOf(channel: Channel): readonly string[] {
  const { credentials } = channel;
  return (credentials.length === 0 ? [undefined] : credentials).map((each) =>
    poolOf(channel, each),
  );
}

const serials = new WeakMap<Credential, number>();
let last = 0;

function serialOf(credential: Credential): number {
  let serial = serials.get(credential);
  if (serial === undefined) serials.set(credential, (serial = ++last));
  return serial;
}

import type { Channel, Credential } from "#core/channel.ts";

/**
 * Whose connections a request uses: those of one channel, address and
 * credential, and nobody else's. A channel that was given another address or
 * another credential has another pool.
 */
export function poolOf(channel: Channel, credential: Credential | undefined): string {
  const { name, baseUrl, reach = "" } = channel;
  return `${name} ${baseUrl} ${reach} ${credential === undefined ? "" : serialOf(credential)}`;
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

import { isInNetworks } from "#lib/networks.ts";

/** Who is at the other end, as far as it can be known. */
export interface Client {
  /** Undefined where it cannot be: then nothing that depends on it is allowed. */
  readonly address: string | undefined;
  /** The client's own connection is encrypted. */
  readonly isSecure: boolean;
}

/**
 * The socket's address, or behind proxies that the operator trusts the last
 * one that none of them vouches for. What stands further left in the header
 * was written by the client itself, and may be anything.
 */
export function readClient(
  headers: Headers,
  peer: string | undefined,
  trusted: readonly string[],
): Client {
  if (peer === undefined || !isInNetworks(peer, trusted)) {
    return { address: peer, isSecure: false };
  }
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map(bareAddress);
  const client = hops.findLast((hop) => hop !== "" && !isInNetworks(hop, trusted));
  const protocol = headers.get("x-forwarded-proto") ?? "";
  return {
    address: client ?? hops.find((hop) => hop !== "") ?? peer,
    isSecure: protocol.split(",").at(-1)?.trim().toLowerCase() === "https",
  };
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function bareAddress(hop: string): string {
  const text = hop.trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, plain] = /^([\d.]+):\d+$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

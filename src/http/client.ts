import { isInNetworks } from "#lib/networks.ts";

/** The client of a request, as far as it can be determined. */
export interface Client {
  /** Undefined if unknown: everything that depends on the address is then refused. */
  readonly address: string | undefined;
  /** The client's own connection is encrypted. */
  readonly isSecure: boolean;
}

/**
 * The socket's address; behind trusted proxies, the last address that is not a trusted proxy.
 * Entries further left in the header were written by the client and are not trustworthy.
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

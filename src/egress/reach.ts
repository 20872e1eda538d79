import { isIP } from "node:net";
import type { Reach } from "#core/channel.ts";
import { isInNetworks } from "#lib/networks.ts";
import { hostOf, isPrivateName, isPublicAddress } from "./guard.ts";

/** Cloud metadata addresses, and addresses that are not those of a single machine. */
export const CLOSED = [
  "0.0.0.0/8",
  "100.100.100.200/32", // metadata of Alibaba's cloud
  "168.63.129.16/32", // Azure's host
  "169.254.0.0/16", // link-local, and most clouds' metadata
  "192.0.0.192/32", // metadata of Oracle's cloud
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "64:ff9b::/96", // Contains an IPv4 address, as do the three below.
  "64:ff9b:1::/48",
  "2001::/32",
  "2002::/16",
  "fd00:ec2::/32", // metadata of Amazon's cloud
  "fd20:ce::254/128", // metadata of Google's cloud
  "fe80::/10", // link-local
  "fec0::/10",
  "ff00::/8",
] as const;

const METADATA_NAME = /^metadata\.|^instance-data\./;

/** True if a connection to this address is allowed. */
export function isWithinReach(ip: string, reach: Reach): boolean {
  if (isIP(ip) === 0 || ip.includes("%") || isInNetworks(ip, CLOSED)) return false;
  return reach === "private" || isPublicAddress(ip);
}

/**
 * The reach that a URL needs, as far as it is known without DNS; undefined if
 * no channel may use the URL. Names are checked again by the address of each
 * connection.
 */
export function reachNeeded(url: URL): Reach | undefined {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    if (!isWithinReach(host, "private")) return undefined;
    return isWithinReach(host, "public") ? "public" : "private";
  }
  const name = host.toLowerCase().replace(/\.$/, "");
  if (METADATA_NAME.test(name)) return undefined;
  return isPrivateName(name) ? "private" : "public";
}

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const parsed = new WeakMap<readonly string[], readonly Network[]>();

/** True if an address is in one of the networks; false for an invalid address. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  // An IPv4 address may be written as IPv6 (::ffff:10.0.0.1).
  const one = ipaddr.process(address);
  return networksOf(networks).some(
    ([first, bits]) => first.kind() === one.kind() && one.match(first, bits),
  );
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

/** The network of an address: wide enough not to identify a person. */
export function truncateAddress(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes("%")) return undefined;
  const address = ipaddr.process(text).toString();
  return address.includes(":")
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`).toString()}/24`;
}

/** Parsed lists are cached by object, because they are used in every request. */
function networksOf(list: readonly string[]): readonly Network[] {
  let networks = parsed.get(list);
  if (networks === undefined) parsed.set(list, (networks = list.map(parseNetwork)));
  return networks;
}

/** A network of IPv4 addresses in IPv6 notation is read as IPv4. */
function parseNetwork(text: string): Network {
  const [first = "", written] = text.split("/");
  const address = ipaddr.parse(first);
  const bits = written === undefined ? (address.kind() === "ipv4" ? 32 : 128) : Number(written);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  return isMapped && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits];
}

const MAPPED_BITS = 96;

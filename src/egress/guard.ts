import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { GatewayError } from "#core/error.ts";

/** The URLs that may be followed; anything not allowed here is refused. */
export interface GuardRules {
  /** Allows plain http in addition to https. */
  readonly allowHttp?: boolean;
  /** Default 80 and 443. */
  readonly ports?: readonly number[];
  /** Non-public networks that the operator allows: addresses or CIDRs. */
  readonly allow?: readonly string[];
  /**
   * Networks that the operator forbids in addition to the built-in ones; takes
   * precedence over `allow`.
   */
  readonly deny?: readonly string[];
  /**
   * Hosts that the operator configured: their names may be private names, but
   * their addresses are checked.
   */
  readonly names?: readonly string[];
  /** This machine's own addresses: refused unless allowed, even if they are public. */
  readonly own?: readonly string[];
}

const MAX_URL_LENGTH = 4096;
const DEFAULT_PORTS = [80, 443];

/**
 * Parses a URL from a client or an upstream, and throws unless it may be
 * followed. The caller must connect to the returned URL: if the text is parsed
 * twice, check and connection can differ. The addresses of a name must still be
 * checked.
 */
export function checkUrl(text: string, rules: GuardRules = {}, base?: URL): URL {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base?.href);
  if (url === null) throw refused("too long, or not a URL");
  const reason = refusalReason(text, url, rules);
  if (reason !== undefined) throw refused(reason);
  return url;
}

/** True if an address, in the notation of a resolver or a socket, is on the public internet. */
export function isPublicAddress(ip: string, rules: GuardRules = {}): boolean {
  // A zone ("%eth0") names an interface of this machine.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  // IPv4 inside IPv6 (::ffff:0:0/96) reaches the IPv4 address, so the IPv4 rules apply.
  const address = ipaddr.process(ip);
  const isListed = (list?: readonly string[]) => isIn(address, list?.map(parseNetwork));
  if (isListed(rules.deny)) return false;
  if (isListed(rules.allow)) return true;
  return isIn(address, GLOBAL) && !isIn(address, SPECIAL) && !isListed(rules.own);
}

/**
 * The same message for every rule, so that it reveals nothing about the
 * networks behind the gateway.
 */
export function refused(reason: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", "This URL may not be fetched.", {
    cause: new Error(`refused by the URL guard: ${reason}`, { cause }),
  });
}

/** The host without the brackets of an IPv6 literal: the name to resolve, or the address itself. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** True for names that are only valid inside a private network. */
export function isPrivateName(name: string): boolean {
  return !NAME.test(name) || PRIVATE_NAME.test(name);
}

function refusalReason(text: string, url: URL, rules: GuardRules): string | undefined {
  // This parser accepts these characters, other parsers differ, and valid URLs do not need them.
  if (FORGIVEN.test(text)) return "a control character or a backslash";
  if (url.href.length > MAX_URL_LENGTH) return "too long";
  const isHttp = rules.allowHttp === true && url.protocol === "http:";
  if (url.protocol !== "https:" && !isHttp) return `scheme ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "user information";
  if (!(rules.ports ?? DEFAULT_PORTS).includes(portOf(url))) return `port ${portOf(url)}`;

  const host = hostOf(url);
  if (isIP(host) !== 0) return isPublicAddress(host, rules) ? undefined : `address ${host}`;
  if (rules.names?.includes(host) === true) return undefined;
  if (!NAME.test(host)) return "not a full name";
  if (PRIVATE_NAME.test(host)) return `name ${host}`;
  return undefined;
}

// oxlint-disable-next-line no-control-regex
const FORGIVEN = /[\u0000-\u001f\u007f\\]/;

/** Two or more labels, no dot at either end. Numeric hosts are already parsed as addresses. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$|^metadata\./;

/** All of IPv4; in IPv6 only the ranges allocated for the internet. */
const GLOBAL = ["0.0.0.0/0", "2000::/3"].map(parseNetwork);

/** IANA's special-purpose registries, and cloud addresses for guests only. */
const SPECIAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's host, reachable from every guest
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001::/23", // Teredo, benchmarking, ORCHID
  "2001:db8::/32",
  "2002::/16", // 6to4 carries an IPv4 address
  "3fff::/20",
].map(parseNetwork);

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

function isIn(address: Address, networks: readonly Network[] = []): boolean {
  return networks.some(([first, bits]) => {
    return first.kind() === address.kind() && address.match(first, bits);
  });
}

function parseNetwork(text: string): Network {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

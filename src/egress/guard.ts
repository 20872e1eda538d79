import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { GatewayError } from "#core/error.ts";

/** What a followed URL may be; everything not opened here stays closed. */
export interface GuardRules {
  /** Plain http besides https. */
  readonly allowHttp?: boolean;
  /** 80 and 443 unless told. */
  readonly ports?: readonly number[];
  /** Networks the operator opens although they are not public: addresses or CIDRs. */
  readonly allow?: readonly string[];
  /** Networks the operator closes on top of the built-in ones; stronger than `allow`. */
  readonly deny?: readonly string[];
  /** Hosts that the operator named: their names may look private, their addresses are judged as any. */
  readonly names?: readonly string[];
  /** This machine's own addresses: closed, public or not, unless allowed. */
  readonly own?: readonly string[];
}

const MAX_URL_LENGTH = 4096;
const DEFAULT_PORTS = [80, 443];

/**
 * Parses a URL that a caller or an upstream supplied, and throws unless it may
 * be followed. The URL returned is the one to connect to: parsing the text a
 * second time, elsewhere, is how a check and a connection come to disagree.
 * A name still has to resolve to public addresses only.
 */
export function checkUrl(text: string, rules: GuardRules = {}, base?: URL): URL {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base?.href);
  if (url === null) throw refused("too long, or not a URL");
  const objection = objectionTo(text, url, rules);
  if (objection !== undefined) throw refused(objection);
  return url;
}

/** Whether an address, as a resolver or a socket writes it, belongs to the public internet. */
export function isPublicAddress(ip: string, rules: GuardRules = {}): boolean {
  // A zone ("%eth0") names an interface of this machine.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  // IPv4 inside IPv6 (::ffff:0:0/96) reaches the IPv4 address, so it is judged as that.
  const address = ipaddr.process(ip);
  const isListed = (list?: readonly string[]) => isIn(address, list?.map(parseNetwork));
  if (isListed(rules.deny)) return false;
  if (isListed(rules.allow)) return true;
  return isIn(address, GLOBAL) && !isIn(address, SPECIAL) && !isListed(rules.own);
}

/** One text for every rule, so that the answer says nothing about the networks behind the gateway. */
export function refused(reason: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", "This URL may not be fetched.", {
    cause: new Error(`refused by the URL guard: ${reason}`, { cause }),
  });
}

/** The host without the brackets of an IPv6 literal: what to resolve, or the address itself. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Means nothing outside of the networks that it is used in. */
export function isPrivateName(name: string): boolean {
  return !NAME.test(name) || PRIVATE_NAME.test(name);
}

function objectionTo(text: string, url: URL, rules: GuardRules): string | undefined {
  // The parser forgives these, other parsers differ, and no honest URL needs them.
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

/** Two labels or more, no dot at either end. What looks like a number is an address by now. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$|^metadata\./;

/** All of IPv4; in IPv6 only what has been handed out for the internet. */
const GLOBAL = ["0.0.0.0/0", "2000::/3"].map(parseNetwork);

/** IANA's special-purpose registries, and where clouds keep what is for their guests only. */
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

import { isIP } from "node:net";
import { isInNetworks, isNetwork } from "#lib/networks.ts";
import { hostOf, isPrivateName, isPublicAddress, portOf } from "./guard.ts";

/** An HTTP proxy, as far as reaching somebody through it needs to know it. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** What it wants to be shown, if anything. */
  readonly authorization: string | undefined;
}

/** Which upstreams are reached through a proxy. */
export interface ProxyRules {
  /** `http://user:password@host:port` */
  readonly url: string;
  /** Who is reached without: names with all below them, addresses, networks, each with a port or none; `*` for all. */
  readonly except: readonly string[];
}

/**
 * Chooses for each destination. What is on this machine or in its own networks
 * is always reached without a proxy, and so is what speaks no TLS: the proxy
 * would see the credential.
 */
export function proxyChooser(
  rules: ProxyRules | undefined,
): (host: string, port: number, isSecure: boolean) => Proxy | undefined {
  if (rules === undefined) return () => undefined;
  const url = new URL(rules.url);
  const { username, password } = url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const proxy: Proxy = {
    host: hostOf(url),
    port: portOf(url),
    authorization: login === ":" ? undefined : `Basic ${Buffer.from(login).toString("base64")}`,
  };
  const isExcepted = rules.except.map(exceptionOf);
  return (host, to, isSecure) => {
    const isOurs = isIP(host) === 0 ? isPrivateName(host.toLowerCase()) : !isPublicAddress(host);
    const isDirect = !isSecure || isOurs || isExcepted.some((matches) => matches(host, to));
    return isDirect ? undefined : proxy;
  };
}

type Exception = (host: string, port: number) => boolean;

/** As `NO_PROXY` is written: by a name all names below it are meant, too, with a dot in front or without. */
function exceptionOf(text: string): Exception {
  if (text === "*") return () => true;
  if (isNetwork(text)) return (host) => isInNetworks(host, [text]);
  const [, name = "", port] = /^(?:\*?\.)?(.*?)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  return (host, to) => {
    const asked = host.toLowerCase().replace(/\.$/, "");
    const isNamed = asked === name || asked.endsWith(`.${name}`);
    return isNamed && (port === undefined || Number(port) === to);
  };
}

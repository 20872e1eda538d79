import { isIP } from "node:net";
import { isInNetworks, isNetwork } from "#lib/networks.ts";
import { hostOf, isPrivateName, isPublicAddress, portOf } from "./guard.ts";

/** An HTTP proxy. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** Value of the Proxy-Authorization header, if any. */
  readonly authorization: string | undefined;
}

/** Rules for choosing the proxy. */
export interface ProxyRules {
  /** `http://user:password@host:port` */
  readonly url: string;
  /**
   * Destinations without a proxy: names including subdomains, addresses,
   * networks, each with or without a port; `*` for all.
   */
  readonly except: readonly string[];
}

/**
 * Chooses the proxy for each destination. Destinations on this machine or in
 * private networks never use a proxy. Connections without TLS do not either,
 * because the proxy would see the credential.
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

/** In the notation of `NO_PROXY`: a name includes its subdomains, with or without a leading dot. */
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

import { isIP } from "node:net";
import type { ChannelProxy } from "#core/channel.ts";
import { isInNetworks, isNetwork } from "#lib/networks.ts";
import { hostOf, isPrivateName, isPublicAddress, portOf } from "./guard.ts";
import type { SocksLogin } from "./socks5.ts";

/** An HTTP or SOCKS5 proxy. */
export interface Proxy {
  readonly kind: "http" | "socks5";
  readonly host: string;
  readonly port: number;
  /** Value of the Proxy-Authorization header, if any. */
  readonly authorization?: string | undefined;
  /** For a SOCKS5 proxy. */
  readonly login?: SocksLogin | undefined;
  /** The proxy of a channel: the channel's rules for addresses apply to it. */
  readonly isOfChannel?: true;
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
    kind: "http",
    host: hostOf(url),
    port: portOf(url),
    authorization: login === ":" ? undefined : basic(login),
  };
  const isExcepted = rules.except.map(exceptionOf);
  return (host, to, isSecure) => {
    const isOurs = isIP(host) === 0 ? isPrivateName(host.toLowerCase()) : !isPublicAddress(host);
    const isDirect = !isSecure || isOurs || isExcepted.some((matches) => matches(host, to));
    return isDirect ? undefined : proxy;
  };
}

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

const known = new WeakMap<ChannelProxy, Proxy>();

/** The proxy of a channel, which takes all its connections. Its login is opened here only. */
export function proxyOf(channel: ChannelProxy): Proxy {
  let proxy = known.get(channel);
  if (proxy === undefined) known.set(channel, (proxy = readProxy(channel)));
  return proxy;
}

function readProxy({ url: text, login }: ChannelProxy): Proxy {
  const url = new URL(text);
  const given = login?.open();
  const at = { host: hostOf(url), port: Number(url.port), isOfChannel: true as const };
  if (url.protocol === "http:") {
    const port = at.port || portOf(url);
    return { kind: "http", ...at, port, authorization: given === undefined ? given : basic(given) };
  }
  const colon = given?.indexOf(":") ?? -1;
  return {
    kind: "socks5",
    ...at,
    ...(given !== undefined && {
      login: { user: given.slice(0, colon), password: given.slice(colon + 1) },
    }),
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

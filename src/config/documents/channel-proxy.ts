import { credential, type ChannelProxy } from "#core/channel.ts";
import { SENSITIVE } from "#lib/schema-rule.ts";
import { parser, type Parser } from "../parsers.ts";

/** Stands for a stored login. */
const HIDDEN = "***";
const SOCKS_PORT = 1_080;
const MAX_LOGIN_BYTES = 255;

/** The proxy of a channel; it may contain a password. */
export const channelProxy: Parser<ChannelProxy> = parser({
  expects: "the address of a proxy, such as http://user:password@host:3128 or socks5://host:1080",
  shows: "never",
  parse: parseProxy,
  format: showProxy,
  explain: (given) =>
    given.startsWith("https://")
      ? "is refused: the gateway speaks with proxies over http:// or socks5://."
      : undefined,
  json: { type: "string", [SENSITIVE]: true },
});

function parseProxy(given: string): ChannelProxy | undefined {
  if (!/^(?:http|socks5h?):\/\/[\x21-\x7e]{1,2048}$/.test(given)) return undefined;
  // The parts of an address are only read alike for schemes that the standard knows.
  const isSocks = given.startsWith("socks5");
  const url = URL.parse(given.replace(/^socks5h?:/, "http:"));
  if (url === null || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return undefined;
  }
  const port = isSocks && !/:80\/?$/.test(given) ? url.port || SOCKS_PORT : url.port || 80;
  const address = `${isSocks ? "socks5" : "http"}://${url.hostname}:${port}`;
  if (url.username === "" && url.password === "") return { url: address };
  const login = loginOf(url);
  return login === undefined ? undefined : { url: address, login: credential(login) };
}

/** Undefined if it cannot be sent to a proxy. */
function loginOf({ username, password }: URL): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(username + password)) return undefined;
  try {
    const parts = [decodeURIComponent(username), decodeURIComponent(password)];
    const isSendable = parts.every(
      (each) => Buffer.byteLength(each) <= MAX_LOGIN_BYTES && !/\p{Cc}/u.test(each),
    );
    return isSendable && parts[0]?.includes(":") === false ? parts.join(":") : undefined;
  } catch {
    return undefined;
  }
}

/** The login as a placeholder, which stands for it in a change. */
export function showProxy({ url, login }: ChannelProxy): string {
  return login === undefined ? url : url.replace("://", `://${HIDDEN}@`);
}

/**
 * A proxy as it is given in a change: a placeholder stands for the stored login. Undefined for one
 * that belongs to another address.
 */
export function withStoredLogin(
  given: ChannelProxy,
  stored: ChannelProxy | undefined,
): ChannelProxy | undefined {
  if (stored?.url === given.url && stored.login?.open() === given.login?.open()) return stored;
  if (given.login?.open() !== `${HIDDEN}:`) return given;
  return stored?.url === given.url && stored.login !== undefined ? stored : undefined;
}

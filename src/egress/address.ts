import { hostOf, portOf } from "./guard.ts";

/** The parts of a URL that a request needs. */
interface Address {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The `host` field of the request. */
  readonly authority: string;
  /** Path and query. */
  readonly target: string;
}

const addresses = new WeakMap<URL, Address>();

/** Parsed once per URL object, which all calls of a channel share. */
export function addressOf(url: URL): Address {
  let known = addresses.get(url);
  if (known === undefined) {
    known = {
      host: hostOf(url),
      port: portOf(url),
      isSecure: url.protocol === "https:",
      authority: url.host,
      target: url.pathname + url.search,
    };
    addresses.set(url, known);
  }
  return known;
}

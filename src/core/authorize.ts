import type { JsonObject } from "#lib/json.ts";
import type { Body } from "#lib/pieces.ts";
import type { ChannelOptions } from "./channel.ts";

/** By name in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An outgoing request, for credentials that sign requests. */
export interface Signable {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: Body;
  /** Options of the channel that sends the request. */
  readonly options: ChannelOptions;
  /** Unix ms. */
  readonly at: number;
}

/** Converts an opened secret into request headers. */
export interface Authorize {
  (secret: string, request: Signable): HeaderFields | Promise<HeaderFields>;
  /** The headers depend on the secret alone: all requests with it have the same. */
  readonly isConstant?: true;
}

/** Exchanges a long-lived credential for a short-lived token. */
export interface TokenExchange {
  /**
   * Undefined if this secret is sent unchanged. Throws `upstream_auth` if it
   * needs an exchange but is malformed.
   */
  request(secret: string, at: number): Promise<TokenRequest> | undefined;
  /** The token in a successful response; undefined if it contains none. */
  read(answer: JsonObject): Token | undefined;
}

export interface TokenRequest {
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: string;
}

export interface Token {
  /** Sent instead of the secret. */
  readonly value: string;
  readonly lifetimeMs: number;
}

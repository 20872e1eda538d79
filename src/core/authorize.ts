import type { JsonObject } from "#lib/json.ts";
import type { Body } from "#lib/pieces.ts";
import type { ChannelOptions } from "./channel.ts";

/** By name in small letters. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A request on its way out, for credentials that sign it rather than go along with it. */
export interface Signable {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: Body;
  /** Of the channel that it leaves by. */
  readonly options: ChannelOptions;
  /** Unix ms. */
  readonly at: number;
}

/** Turns an opened secret into headers. */
export type Authorize = (secret: string, request: Signable) => HeaderFields | Promise<HeaderFields>;

/** How a credential that lasts is traded for a token that does not. */
export interface TokenExchange {
  /**
   * Undefined where this secret is presented as it is. Throws `upstream_auth`
   * where it is meant to be traded and cannot be.
   */
  request(secret: string, at: number): Promise<TokenRequest> | undefined;
  /** Out of a successful answer; undefined where it holds none. */
  read(answer: JsonObject): Token | undefined;
}

export interface TokenRequest {
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: string;
}

export interface Token {
  /** Presented in place of the secret. */
  readonly value: string;
  readonly lifetimeMs: number;
}

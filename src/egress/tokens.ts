import type { Token, TokenExchange, TokenRequest } from "#core/authorize.ts";
import type { Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { CancelSignal } from "#lib/cancellation.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { Egress, UpstreamRequest } from "./egress.ts";
import { abortReason } from "./abort-reason.ts";

/** A token is renewed this long before its end, or at half its lifetime if that is later. */
const RENEW_BEFORE_MS = 300_000;
/** A token this close to its end is not used, because it might expire on the way. */
const MARGIN_MS = 10_000;
/** Retry interval after a failed renewal, while the old token is valid. */
const RETRY_MS = 30_000;

interface Held {
  readonly value: string;
  readonly expiresAt: number;
  /** Never after the token's end. */
  renewAt: number;
}

/**
 * Exchanged tokens, each cached while it is valid. One exchange serves all
 * waiting calls, and no call waits for a renewal.
 */
export class Tokens {
  readonly #send: Egress["send"];
  readonly #clock: Pick<Clock, "now">;
  readonly #held = new WeakMap<Credential, Held>();
  readonly #trading = new WeakMap<Credential, Promise<string>>();

  constructor(send: Egress["send"], clock: Pick<Clock, "now">) {
    this.#send = send;
    this.#clock = clock;
  }

  /** The value to send for the request's credential: its secret, or its current token. */
  present(request: UpstreamRequest): string | undefined | Promise<string> {
    const { credential, exchange } = request;
    if (credential === undefined || exchange === undefined) return credential?.open();

    const now = this.#clock.now();
    const held = this.#held.get(credential);
    if (held !== undefined && now < held.renewAt) return held.value;
    const trading = this.#trading.get(credential) ?? this.#trade(credential, exchange, request);
    if (trading === undefined) return credential.open();
    if (held !== undefined && now < held.expiresAt - MARGIN_MS) return held.value;
    return whileWanted(trading, request.signal);
  }

  /** Discards a token that the upstream refused before its end. */
  forget({ credential }: UpstreamRequest): void {
    if (credential !== undefined) this.#held.delete(credential);
  }

  #trade(
    credential: Credential,
    exchange: TokenExchange,
    { pool, reach, proxy }: UpstreamRequest,
  ): Promise<string> | undefined {
    const asked = exchange.request(credential.open(), this.#clock.now());
    if (asked === undefined) return undefined;
    const trading = this.#ask(asked, exchange, { pool, ...defined({ reach, proxy }) })
      .then((token) => this.#hold(credential, token))
      .catch((cause: unknown) => {
        const held = this.#held.get(credential);
        if (held !== undefined) {
          held.renewAt = Math.min(this.#clock.now() + RETRY_MS, held.expiresAt - MARGIN_MS);
        }
        throw cause;
      })
      .finally(() => this.#trading.delete(credential));
    // Waiting callers get the error; with a valid old token no caller waits.
    trading.catch(() => {});
    this.#trading.set(credential, trading);
    return trading;
  }

  /**
   * Independent of any single caller: a client that disconnects must not cancel
   * the token of the others.
   */
  async #ask(
    asked: Promise<TokenRequest>,
    exchange: TokenExchange,
    { pool, ...route }: Pick<UpstreamRequest, "pool" | "reach" | "proxy">,
  ): Promise<Token> {
    const { url, headers, body } = await asked;
    using reply = await this.#send({
      url,
      method: "POST",
      headers,
      body,
      pool: `${pool}/token`,
      ...route,
      credential: undefined,
      authorize: () => ({}),
      // A token must arrive within the time limit for the first byte of a stream.
      isStream: true,
    });
    const answer = parseJson(new TextDecoder().decode(await reply.readAll()));
    if (reply.status !== 200) throw refusal(reply.status);
    const token = isObject(answer) ? exchange.read(answer) : undefined;
    if (token === undefined) {
      throw new GatewayError("upstream_failed", "The upstream's response contains no token.");
    }
    return token;
  }

  #hold(credential: Credential, { value, lifetimeMs }: Token): string {
    const now = this.#clock.now();
    this.#held.set(credential, {
      value,
      expiresAt: now + lifetimeMs,
      renewAt: now + Math.max(lifetimeMs / 2, lifetimeMs - RENEW_BEFORE_MS),
    });
    return value;
  }
}

function refusal(status: number): GatewayError {
  const cause = `status ${status}`;
  if (status === 429) {
    return new GatewayError(
      "upstream_rate_limited",
      "The upstream's token endpoint is rate limited.",
      { cause },
    );
  }
  return status < 500
    ? new GatewayError("upstream_auth", "The upstream does not accept the gateway's account.", {
        cause,
      })
    : new GatewayError("upstream_failed", "The upstream's token endpoint failed.", { cause });
}

function whileWanted(trading: Promise<string>, signal: CancelSignal | undefined): Promise<string> {
  if (signal === undefined) return trading;
  return new Promise((resolve, reject) => {
    const onGone = { handleEvent: (): void => reject(abortReason(signal)) };
    if (signal.aborted) onGone.handleEvent();
    signal.addEventListener("abort", onGone, { once: true });
    trading.then(resolve, reject).finally(() => signal.removeEventListener("abort", onGone));
  });
}

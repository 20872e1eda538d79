import type { AssetGroup, AssetStore } from "#core/asset.ts";
import type { Channel } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import {
  PASSED_CODE,
  type IdentityChange,
  type IdentitySession,
  type IdentitySessionStore,
  type VerificationOutcome,
} from "#core/identity-session.ts";
import type { LinkFollower } from "#core/media.ts";
import { randomBase62, ulid } from "#lib/ids.ts";
import { firstAccount, requestOnce } from "./library-client.ts";
import { askVendor, type AskSessionDeps } from "./poll-session.ts";
import { sealSecrets } from "./session-secrets.ts";

export interface VerificationDeps extends AskSessionDeps {
  readonly sessions: IdentitySessionStore;
  readonly assets: AssetStore;
  readonly links: Pick<LinkFollower, "checkSecure">;
  /** The digest of a secret token; only its holder knows the token. */
  digest(word: string): string;
  /** The URL to which a channel's vendor redirects the browser; undefined without a public URL. */
  returnUrlFor(word: string, channel: Channel): string | undefined;
}

/** A started verification, for the client. */
interface BegunVerification {
  /** The link that the person opens. */
  readonly link: string;
  readonly token: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than the lifetime of the vendor's link. */
const SESSION_MS = 30 * MINUTE_MS;
/** The result of a passed verification is kept longer, so that it can be fetched again. */
const RESULT_MS = 24 * HOUR_MS;
export const FORGOTTEN_MS = 2 * RESULT_MS;
const MAX_OPEN = 100;
/** Limits repeated visits to the callback URL. */
const MAX_RETURNS = 20;
const MIN_ASK_AGE_MS = 2_000;
const MAX_TRIES = 5;
const WORD_CHARS = 32;
const WORD = /^[0-9A-Za-z]{32}$/;

/** Verifications of persons, for the clients that requested them. */
export class Verifications {
  readonly #deps: VerificationDeps;

  constructor(deps: VerificationDeps) {
    this.#deps = deps;
  }

  async begin(userId: number, callbackUrl: string): Promise<BegunVerification> {
    const { links, sessions, clock, digest, returnUrlFor, seal } = this.#deps;
    links.checkSecure(callbackUrl, "CallbackURL");
    const returnWord = randomBase62(WORD_CHARS);
    const account = firstAccount(this.#deps);
    const returnUrl = account && returnUrlFor(returnWord, account.channel);
    if (account === undefined || returnUrl === undefined) throw impossible();
    if ((await sessions.countOpen(userId, clock.now())) >= MAX_OPEN) throw tooMany();

    const { beginSession } = account.service.style;
    const begun = await requestOnce(account, beginSession, { callbackUrl: returnUrl }, this.#deps);
    const now = clock.now();
    const id = ulid(now);
    const token = `vt_${randomBase62(WORD_CHARS)}`;
    await sessions.add({
      id,
      userId,
      channel: account.channel.name,
      account: account.credential.label,
      tokenDigest: digest(token),
      returnDigest: digest(returnWord),
      sealed: sealSecrets({ token, upstreamToken: begun.token, callbackUrl }, id, seal),
      state: "open",
      createdAt: now,
      endsAt: now + SESSION_MS,
      asks: 0,
      returns: 0,
      version: 1,
    });
    return { link: begun.link, token };
  }

  /**
   * Handles the browser's return. Its query is not trusted: success is confirmed with the vendor,
   * and a false failure harms only its sender.
   */
  async heard(returnWord: string, told: VerificationOutcome): Promise<void> {
    if (!WORD.test(returnWord)) return;
    const { sessions, clock, digest } = this.#deps;
    await this.#changing(
      () => sessions.findByReturn(digest(returnWord)),
      ({ state, endsAt, returns: before, askedAt = 0, askAt = 0 }) => {
        const now = clock.now();
        if (state === "passed" || now >= endsAt || before >= MAX_RETURNS) return undefined;
        const returns = before + 1;
        if (told.resultCode === PASSED_CODE) {
          const soon = Math.max(now, askedAt + MIN_ASK_AGE_MS);
          // A poll that is under way is repeated anyway if it returns no result.
          return { told, returns, askAt: state === "asking" ? askAt : soon };
        }
        return { told, returns, notice: { outcome: told, attempts: 0, dueAt: now } };
      },
    );
  }

  /** The group of a passed verification. Throws if it failed, is pending, or has expired. */
  async result(userId: number, token: string): Promise<AssetGroup> {
    const { sessions, clock, digest } = this.#deps;
    const known = await sessions.findByToken(userId, digest(token));
    const session = known && (await this.#asked(known));
    if (session === undefined || isForgotten(session, clock.now())) throw unknown();
    if (session.state !== "passed") throw this.#whyNot(session);
    const group = await this.#groupOf(session);
    await this.#changing(
      () => sessions.findByToken(userId, digest(token)),
      ({ fetchedAt }) =>
        fetchedAt === undefined
          ? { fetchedAt: clock.now(), askAt: null, notice: null, sealed: "" }
          : undefined,
    );
    return group;
  }

  /** The current state from the vendor, unless another process has just polled it. */
  async #asked(session: IdentitySession): Promise<IdentitySession> {
    const now = this.#deps.clock.now();
    const { state, endsAt, askedAt = 0 } = session;
    const isRecent = now - askedAt < MIN_ASK_AGE_MS;
    if (state === "passed" || now >= endsAt || isRecent) return session;
    const after = await askVendor(session, this.#deps);
    return (
      after ??
      (await this.#deps.sessions.findByToken(session.userId, session.tokenDigest)) ??
      session
    );
  }

  #whyNot({ endsAt, told }: IdentitySession): GatewayError {
    if (this.#deps.clock.now() >= endsAt) return expired();
    const code = told?.resultCode;
    return code === undefined || code === PASSED_CODE ? unfinished() : denied(code);
  }

  async #groupOf({ userId, groupId = "" }: IdentitySession): Promise<AssetGroup> {
    const group = await this.#deps.assets.findGroup(userId, groupId);
    if (group !== undefined) return group;
    throw new GatewayError("internal", "The group of this verification does not exist.");
  }

  /** Repeats a change if another process changed the session meanwhile. */
  async #changing(
    find: () => Promise<IdentitySession | undefined>,
    changeOf: (session: IdentitySession) => IdentityChange | undefined,
  ): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const session = await find();
      const change = session && changeOf(session);
      if (session === undefined || change === undefined) return;
      if ((await this.#deps.sessions.change(session, change)) !== undefined) return;
    }
    throw new GatewayError("internal", "The session changed too often during this request. Retry.");
  }
}

function isForgotten({ state, endsAt, fetchedAt }: IdentitySession, now: number): boolean {
  if (fetchedAt !== undefined) return now >= fetchedAt + RESULT_MS;
  return state === "passed" && now >= endsAt + RESULT_MS;
}

function impossible(): GatewayError {
  const details = { Code: "UnsupportedAction" };
  const message = "No channel of this gateway verifies persons.";
  return new GatewayError("invalid_request", message, { details });
}

function tooMany(): GatewayError {
  const details = { Code: "QuotaExceeded" };
  const message = `A user may have at most ${MAX_OPEN} unfinished verifications.`;
  return new GatewayError("invalid_request", message, { details });
}

function unknown(): GatewayError {
  return invalid("VendorToken", "VendorToken must be the token of one of your sessions");
}

function unfinished(): GatewayError {
  const details = { Code: "ValidateNotReady" };
  return new GatewayError("still_running", "The verification is not finished.", {
    details,
    retryAfterMs: MIN_ASK_AGE_MS,
  });
}

function denied(code: string): GatewayError {
  const details = { Code: "ValidateDenied" };
  const message = `The person was not verified (result code ${code}). Start a new session.`;
  return new GatewayError("invalid_request", message, { details });
}

function expired(): GatewayError {
  const details = { Code: "ValidateExpired" };
  const message = "The session has expired. Start a new one.";
  return new GatewayError("invalid_request", message, { details });
}

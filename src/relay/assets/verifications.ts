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
  /** Of a word that only its holder has. */
  digest(word: string): string;
  /** Where a channel's vendor sends a person's browser back to; undefined if nothing is known to lead here. */
  returnUrlFor(word: string, channel: Channel): string | undefined;
}

/** What is begun, for its caller. */
interface BegunVerification {
  /** For the person to open. */
  readonly link: string;
  readonly token: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The vendor's link ends long before. */
const SESSION_MS = 30 * MINUTE_MS;
/** Somebody who passed is worth waiting for; a result that was fetched may be fetched again. */
const RESULT_MS = 24 * HOUR_MS;
export const FORGOTTEN_MS = 2 * RESULT_MS;
const MAX_OPEN = 100;
/** Whoever has the address could go there again and again. */
const MAX_RETURNS = 20;
const MIN_ASK_AGE_MS = 2_000;
const MAX_TRIES = 5;
const WORD_CHARS = 32;
const WORD = /^[0-9A-Za-z]{32}$/;

/** Verifications of persons as their callers see them. */
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
   * A person's browser came back. What it says may be anybody's invention: of
   * success the vendor is asked, and failure harms only whoever claims it.
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
          // Who is asking already asks again where it is told nothing.
          return { told, returns, askAt: state === "asking" ? askAt : soon };
        }
        return { told, returns, notice: { outcome: told, attempts: 0, dueAt: now } };
      },
    );
  }

  /** The group of somebody who passed. Throws where nobody did, or not yet, or too long ago. */
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

  /** As its vendor has it now, unless somebody has just asked. */
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
    throw new GatewayError("internal", "The group of this verification is not there.");
  }

  /** Others may change it meanwhile. */
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
    throw new GatewayError("internal", "The session changes all the time.");
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
  const message = `A user may have ${MAX_OPEN} unfinished verifications, not more.`;
  return new GatewayError("invalid_request", message, { details });
}

function unknown(): GatewayError {
  return invalid("VendorToken", "VendorToken names no session of yours");
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
  const message = `The person was not verified (result code ${code}); begin a new session.`;
  return new GatewayError("invalid_request", message, { details });
}

function expired(): GatewayError {
  const details = { Code: "ValidateExpired" };
  const message = "The session is overdue; begin a new one.";
  return new GatewayError("invalid_request", message, { details });
}

import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "#core/error.ts";
import type { IdentitySession, SessionNotice } from "#core/identity-session.ts";
import type { LinkFollower } from "#core/media.ts";
import type { WebhookSecrets } from "#core/webhook-delivery.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { repeatedValues, processDue, type Work } from "#lib/process-due.ts";
import { askVendor, type AskSessionDeps } from "./poll-session.ts";
import { openSecrets } from "./session-secrets.ts";

export interface CallbackDeps extends AskSessionDeps {
  readonly links: Pick<LinkFollower, "get">;
  readonly secrets: WebhookSecrets;
  onError(cause: unknown): void;
}

const SECOND_MS = 1_000;
/**
 * Retry delays after the first attempt, until the receiver accepts the callback or the session
 * ends.
 */
const PAUSES_MS = [5, 30, 120, 600].map((seconds) => seconds * SECOND_MS);
/** Longer than a vendor request and a callback attempt together. */
const LEASE_MS = 60 * SECOND_MS;
/** Limit per user, so that one slow receiver does not delay the sessions of other users. */
const PER_USER_LIMIT = 4;
const MAX_CONCURRENT = 32;
const GONE = 410;

/** Polls vendors and sends callbacks for all due sessions, until none remains. */
export function processCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const work: Work<IdentitySession> = {
    lease: (room, underWay) => {
      const users = underWay.map(({ userId }) => userId);
      return deps.sessions.lease(LEASE_MS, room, repeatedValues(users, PER_USER_LIMIT));
    },
    // A failed session stays leased until its lease expires.
    act: (session) => processCallback(session, deps).catch(deps.onError),
    batch: PER_USER_LIMIT,
    most: MAX_CONCURRENT,
  };
  return processDue(work, signal);
}

async function processCallback(session: IdentitySession, deps: CallbackDeps): Promise<void> {
  const now = deps.clock.now();
  if (session.askAt !== undefined && session.askAt <= now) {
    // Polling releases the session; the result is processed with a new lease.
    await askVendor(session, deps);
    return;
  }
  const { notice } = session;
  if (notice === undefined || notice.dueAt > now) return;
  const isTaken = await tell(session, notice, deps);
  await noteTold(session, notice, isTaken, deps);
}

const MAX_TRIES = 5;

/**
 * Marks the callback as delivered, even if the session changed meanwhile, so that it is not sent
 * twice.
 */
async function noteTold(
  session: IdentitySession,
  told: SessionNotice,
  isTaken: boolean,
  deps: CallbackDeps,
): Promise<void> {
  const { sessions } = deps;
  let known: IdentitySession | undefined = session;
  for (let tries = 0; tries < MAX_TRIES && known !== undefined; tries++) {
    const { notice, userId, tokenDigest }: IdentitySession = known;
    if (notice === undefined || !isDeepStrictEqual(notice, told)) return;
    const change = { notice: isTaken ? null : nextTry(known, told, deps) };
    if ((await sessions.change(known, change)) !== undefined) return;
    known = await sessions.findByToken(userId, tokenDigest);
  }
}

/** Null after the last retry. */
function nextTry(
  { endsAt }: IdentitySession,
  { outcome, attempts }: SessionNotice,
  { clock }: CallbackDeps,
): SessionNotice | null {
  const pause = PAUSES_MS[attempts];
  const dueAt = clock.now() + (pause ?? 0);
  return pause === undefined || dueAt >= endsAt ? null : { outcome, attempts: attempts + 1, dueAt };
}

/**
 * True if the receiver accepted the callback or refused it permanently, or if no callback URL
 * exists.
 */
async function tell(
  { id, userId, sealed, endsAt }: IdentitySession,
  { outcome }: SessionNotice,
  { links, secrets, seal, clock }: CallbackDeps,
): Promise<boolean> {
  const words = openSecrets(sealed, id, seal);
  if (words === undefined || clock.now() >= endsAt) return true;
  const url = new URL(words.callbackUrl);
  url.searchParams.append("vendorToken", words.token);
  url.searchParams.append("resultCode", outcome.resultCode);
  url.searchParams.append("algorithmBaseRespCode", outcome.algorithmBaseRespCode);
  url.searchParams.append("reqMeasureInfoValue", outcome.reqMeasureInfoValue);
  url.searchParams.append("verify_type", outcome.verifyType);
  const timestamp = Math.floor(clock.now() / SECOND_MS);
  // The callback is a GET without body: the signature covers id and timestamp.
  const message = { id: `${id}.${outcome.resultCode}`, timestamp, body: url.search };
  const signing = await secrets.of(userId);
  try {
    const status = await links.get(url.href, {
      "webhook-id": message.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signing.map((secret) => signatureOf(secret, message)).join(" "),
    });
    return (status >= 200 && status < 300) || status === GONE;
  } catch (cause) {
    if (GatewayError.from(cause).code === "internal") throw cause;
    return false;
  }
}

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
/** After the first try, until somebody takes it or the session ends. */
const PAUSES_MS = [5, 30, 120, 600].map((seconds) => seconds * SECOND_MS);
/** Longer than a question and a try take together. */
const LEASE_MS = 60 * SECOND_MS;
/** Of one user: whoever takes no calls, or takes long to, keeps no other user's sessions waiting. */
const PER_USER_LIMIT = 4;
const MAX_CONCURRENT = 32;
const GONE = 410;

/** Asks vendors and tells callers, wherever that is due, until it is nowhere. */
export function processCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const work: Work<IdentitySession> = {
    lease: (room, underWay) => {
      const users = underWay.map(({ userId }) => userId);
      return deps.sessions.lease(LEASE_MS, room, repeatedValues(users, PER_USER_LIMIT));
    },
    // Its lease ends by itself.
    act: (session) => processCallback(session, deps).catch(deps.onError),
    batch: PER_USER_LIMIT,
    most: MAX_CONCURRENT,
  };
  return processDue(work, signal);
}

async function processCallback(session: IdentitySession, deps: CallbackDeps): Promise<void> {
  const now = deps.clock.now();
  if (session.askAt !== undefined && session.askAt <= now) {
    // What follows from the answer is leased anew: the session is in nobody's hands while it is asked about.
    await askVendor(session, deps);
    return;
  }
  const { notice } = session;
  if (notice === undefined || notice.dueAt > now) return;
  const isTaken = await tell(session, notice, deps);
  await noteTold(session, notice, isTaken, deps);
}

const MAX_TRIES = 5;

/** What was told is not told again, although others changed the session meanwhile. */
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

/** Null where nobody will take it any more. */
function nextTry(
  { endsAt }: IdentitySession,
  { outcome, attempts }: SessionNotice,
  { clock }: CallbackDeps,
): SessionNotice | null {
  const pause = PAUSES_MS[attempts];
  const dueAt = clock.now() + (pause ?? 0);
  return pause === undefined || dueAt >= endsAt ? null : { outcome, attempts: attempts + 1, dueAt };
}

/** Somebody took it, or says that nobody ever will; or there is nobody to be told. */
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
  // There is no body: what is signed is all that is said.
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

import { isDeepStrictEqual } from "node:util";
import { GatewayError } from "#core/error.ts";
import type { IdentitySession, SessionNotice } from "#core/identity-session.ts";
import type { LinkFollower } from "#core/media.ts";
import type { NoticeSecrets } from "#core/notice.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { oftenAmong, workOff, type Work } from "#lib/work-off.ts";
import { askVendor, type AskSessionDeps } from "./ask-session.ts";
import { openWords } from "./session-words.ts";

export interface AttendDeps extends AskSessionDeps {
  readonly links: Pick<LinkFollower, "get">;
  readonly secrets: NoticeSecrets;
  onTrouble(cause: unknown): void;
}

const SECOND_MS = 1_000;
/** After the first try, until somebody takes it or the session ends. */
const PAUSES_MS = [5, 30, 120, 600].map((seconds) => seconds * SECOND_MS);
/** Longer than a question and a try take together. */
const LEASE_MS = 60 * SECOND_MS;
/** Of one user: whoever takes no calls, or takes long to, keeps no other user's sessions waiting. */
const ENOUGH = 4;
const MOST = 32;
const GONE = 410;

/** Asks vendors and tells callers, wherever that is due, until it is nowhere. */
export function attendSessions(deps: AttendDeps, signal: AbortSignal): Promise<void> {
  const work: Work<IdentitySession> = {
    lease: (room, underWay) => {
      const users = underWay.map(({ userId }) => userId);
      return deps.sessions.lease(LEASE_MS, room, oftenAmong(users, ENOUGH));
    },
    // Its lease ends by itself.
    act: (session) => attend(session, deps).catch(deps.onTrouble),
    batch: ENOUGH,
    most: MOST,
  };
  return workOff(work, signal);
}

async function attend(session: IdentitySession, deps: AttendDeps): Promise<void> {
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
  deps: AttendDeps,
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
  { clock }: AttendDeps,
): SessionNotice | null {
  const pause = PAUSES_MS[attempts];
  const dueAt = clock.now() + (pause ?? 0);
  return pause === undefined || dueAt >= endsAt ? null : { outcome, attempts: attempts + 1, dueAt };
}

/** Somebody took it, or says that nobody ever will; or there is nobody to be told. */
async function tell(
  { id, userId, sealed, endsAt }: IdentitySession,
  { outcome }: SessionNotice,
  { links, secrets, seal, clock }: AttendDeps,
): Promise<boolean> {
  const words = openWords(sealed, id, seal);
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

import type { AssetGroup, AssetStore } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import {
  PASSED_CODE,
  type IdentityChange,
  type IdentitySession,
  type IdentitySessionStore,
  type VerificationOutcome,
} from "#core/identity-session.ts";
import type { Clock } from "#lib/clock.ts";
import type { Seal } from "#lib/seal.ts";
import {
  request,
  findAccount,
  isAmbiguous,
  type LibraryAccount,
  type LibraryClientDeps,
} from "./library-client.ts";
import { withFreeId } from "./library.ts";
import { openSecrets } from "./session-secrets.ts";

export interface AskSessionDeps extends LibraryClientDeps {
  readonly sessions: IdentitySessionStore;
  readonly assets: AssetStore;
  readonly clock: Clock;
  readonly seal: Seal;
}

const SECOND_MS = 1_000;
/** The vendor's token may expire two minutes after it was issued. */
const PAUSES_MS = [1, 2, 3, 5, 10, 15, 30, 60].map((seconds) => seconds * SECOND_MS);
/** Longer than the request timeout: a session in state "asking" for longer is taken over. */
const ANSWER_MS = 60 * SECOND_MS;
const MAX_PERSONS = 50;
/** Tolerance for differing clocks. */
const SKEW_MS = 5 * SECOND_MS;
const NAME = "Verified person";

/**
 * Asks the vendor for the result. Vendors may report it only once, so the state "asking" is written
 * first. Undefined if another process handles the session.
 */
export async function askVendor(
  session: IdentitySession,
  deps: AskSessionDeps,
): Promise<IdentitySession | undefined> {
  const { sessions, clock, seal } = deps;
  const now = clock.now();
  const words = openSecrets(session.sealed, session.id, seal);
  const account = findAccount(session, deps);
  if (words === undefined || account === undefined || now >= session.endsAt) {
    return await sessions.change(session, { askAt: null });
  }
  const isAsking = session.state === "asking";
  if (isAsking && now - (session.askedAt ?? 0) < ANSWER_MS) return undefined;
  const asking = await sessions.change(session, {
    state: "asking",
    asks: session.asks + 1,
    askedAt: now,
    askAt: now + ANSWER_MS,
  });
  if (asking === undefined) return undefined;
  // An earlier process may have received the result and crashed before it stored it.
  const mayBeTold = isAsking || session.state === "unsure";
  try {
    const upstreamId = await readOnce(account, words.upstreamToken, mayBeTold, asking, deps);
    return await written(asking, deps, (each) =>
      upstreamId === undefined
        ? sessions.change(each, { state: "open", askAt: nextAsk(each, deps) })
        : passed(each, account, upstreamId, deps),
    );
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (error.code === "internal") throw error;
    const isUnsure = mayBeTold || isAmbiguous(error);
    return await written(asking, deps, (each) =>
      sessions.change(each, {
        state: isUnsure ? "unsure" : "open",
        askAt: nextAsk(each, deps) ?? (isUnsure ? clock.now() + ANSWER_MS : null),
      }),
    );
  }
}

const MAX_TRIES = 5;

/** A browser callback may change the session meanwhile: merge the result with the change. */
async function written(
  asking: IdentitySession,
  { sessions }: AskSessionDeps,
  write: (session: IdentitySession) => Promise<IdentitySession | undefined>,
): Promise<IdentitySession | undefined> {
  let current: IdentitySession | undefined = asking;
  for (let tries = 0; tries < MAX_TRIES && current?.state === "asking"; tries++) {
    const after = await write(current);
    if (after !== undefined) return after;
    current = await sessions.findByToken(asking.userId, asking.tokenDigest);
  }
  return current;
}

/** Undefined if the vendor has no result, or no longer. */
async function readOnce(
  account: LibraryAccount,
  token: string,
  mayBeTold: boolean,
  session: IdentitySession,
  deps: AskSessionDeps,
): Promise<string | undefined> {
  try {
    return await request(account, account.service.style.readSession, token, deps);
  } catch (cause) {
    const { code, fault } = GatewayError.from(cause);
    if (fault.blame !== "client") throw cause;
    if (code === "still_running" || !mayBeTold) return undefined;
    return await findUntold(account, session, deps);
  }
}

/**
 * Finds the group of a result that was lost in a crash. It must be the only unassigned group since
 * the session started, and no other session may match it. In any doubt no group is assigned.
 */
async function findUntold(
  account: LibraryAccount,
  session: IdentitySession,
  deps: AskSessionDeps,
): Promise<string | undefined> {
  const { channel, createdAt, id } = session;
  const unresolved = await deps.sessions.listUnresolved(channel, createdAt);
  if (unresolved.some((each) => each !== id)) return undefined;
  const { listPersons } = account.service.style;
  const persons = await request(account, listPersons, { limit: MAX_PERSONS }, deps);
  const untold: string[] = [];
  for (const person of persons) {
    if (person.createdAt < createdAt - SKEW_MS) continue;
    const known = await deps.assets.findGroupAt(channel, person.upstreamId);
    if (known === undefined) untold.push(person.upstreamId);
  }
  return untold.length === 1 ? untold[0] : undefined;
}

/** Sooner if a browser callback reported a result. */
function nextAsk(
  { told, asks, endsAt }: IdentitySession,
  { clock }: AskSessionDeps,
): number | null {
  const at = clock.now() + (PAUSES_MS[Math.min(asks, PAUSES_MS.length - 1)] ?? 0);
  return told?.resultCode === PASSED_CODE && at < endsAt ? at : null;
}

/** Stores the group; the client is told of it. */
async function passed(
  session: IdentitySession,
  library: LibraryAccount,
  upstreamId: string,
  { sessions, assets, clock }: AskSessionDeps,
): Promise<IdentitySession | undefined> {
  const { userId, channel, told } = session;
  const now = clock.now();
  const outcome: VerificationOutcome = { ...(told ?? UNTOLD), resultCode: PASSED_CODE };
  const change: IdentityChange = { askAt: null, notice: { outcome, attempts: 0, dueAt: now } };
  const before = await assets.findGroupAt(channel, upstreamId);
  if (before !== undefined) {
    // The vendor returned a group that already exists for this person.
    return before.userId === userId
      ? await sessions.change(session, { ...change, state: "passed", groupId: before.id })
      : await sessions.change(session, { state: "open", askAt: null });
  }
  return await withFreeId("group", upstreamId, async (id) => {
    const group: AssetGroup = {
      id,
      userId,
      place: { channel, account: library.credential.label, upstreamId },
      kind: "identity",
      name: NAME,
      description: "",
      createdAt: now,
      updatedAt: now,
    };
    const done = await sessions.pass(session, group, change);
    return done === "taken" ? undefined : { done };
  }).then(({ done }) => done);
}

const UNTOLD: VerificationOutcome = {
  resultCode: PASSED_CODE,
  algorithmBaseRespCode: "",
  reqMeasureInfoValue: "",
  verifyType: "",
};

import type { Place } from "../account.ts";
import type { GroupTable } from "../assets/group-table.ts";
import { newControlId } from "../ids.ts";

/** A person who shall show that they are who is seen in pictures. */
export interface Verification {
  readonly token: string;
  readonly place: Place;
  readonly callbackUrl: string;
  readonly createdAt: number;
  /** The person's action; absent before the first. */
  readonly outcome?: Outcome;
  /** Of who has passed. */
  readonly groupId?: string;
  /** Whether the group was told: that happens once. */
  readonly isUsed: boolean;
}

export type Outcome = "passed" | "denied";

export interface SessionTable {
  open(place: Place, callbackUrl: string): Verification;
  find(token: string): Verification | undefined;
  /** Whether the person can still do what they are asked to. */
  isOpen(session: Verification): boolean;
  /** Whether anything is still known of it. */
  isKept(session: Verification): boolean;
  /** Only for who may still decide; the group comes into being with the first pass. */
  decide(session: Verification, outcome: Outcome): Verification;
  use(session: Verification): void;
}

export function sessionTable(groups: GroupTable, now: () => number): SessionTable {
  const sessions = new Map<string, Verification>();

  function put(session: Verification): Verification {
    sessions.set(session.token, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return session;
  }

  return {
    open(place, callbackUrl) {
      const at = now();
      const token = newControlId(at);
      return put({ token, place, callbackUrl, createdAt: at, isUsed: false });
    },
    find: (token) => sessions.get(token),
    isOpen: ({ createdAt }) => now() < createdAt + LINK_MS,
    isKept: ({ createdAt }) => now() < createdAt + KEPT_MS,
    decide(session, outcome) {
      if (outcome === "denied") return put({ ...session, outcome });
      const group = groups.add(session.place, "LivenessFace", { name: "verified person" });
      return put({ ...session, outcome, groupId: group.id });
    },
    use: (session) => void put({ ...session, isUsed: true }),
  };
}

const MAX_SESSIONS = 2_000;
/** The link to the page. */
export const LINK_MS = 120_000;
/** The result is available for half an hour. */
const KEPT_MS = 1_800_000;

import type { Channel, Credential } from "./channel.ts";

/**
 * The account that answered a conversation. Some vendors take reasoning back
 * only in the account that made it.
 */
export interface ReasoningHome {
  /** Name of the channel. */
  readonly channel: string;
  /** Which of its credentials, from `accountOf`. */
  readonly account: string;
}

/** Names a credential among those of its channel: labels alone may be alike. */
export function accountOf(
  { credentials }: Pick<Channel, "credentials">,
  credential: Credential | undefined,
): string {
  if (credential === undefined) return "";
  return `${credentials.indexOf(credential)} ${credential.label}`;
}

/** Where conversations were answered, by digests of their first turns. */
export interface ReasoningHomes {
  /** Of the first digest that is known. */
  find(digests: readonly string[]): ReasoningHome | undefined | Promise<ReasoningHome | undefined>;
  keep(digest: string, home: ReasoningHome): void;
}

/** How long after its last turn a conversation is expected to go on. */
export const HOME_MS = 6 * 3_600_000;

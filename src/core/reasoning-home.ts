import type { Channel, Credential } from "./channel.ts";

/**
 * The account that answered a conversation. Some vendors accept returned
 * reasoning only in the account that created it.
 */
export interface ReasoningHome {
  /** Name of the channel. */
  readonly channel: string;
  /** Id of the credential, from `accountOf`. */
  readonly account: string;
}

/** Identifies a credential within its channel, because labels may be equal. */
export function accountOf(
  { credentials }: Pick<Channel, "credentials">,
  credential: Credential | undefined,
): string {
  if (credential === undefined) return "";
  return `${credentials.indexOf(credential)} ${credential.label}`;
}

/** The accounts of past conversations, by digests of their first turns. */
export interface ReasoningHomes {
  /** The account of the first known digest. */
  find(digests: readonly string[]): ReasoningHome | undefined | Promise<ReasoningHome | undefined>;
  keep(digest: string, home: ReasoningHome): void;
}

/** Lifetime of an entry after the conversation's last turn. */
export const HOME_MS = 6 * 3_600_000;

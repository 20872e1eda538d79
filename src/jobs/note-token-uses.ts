import type { AccessTokens } from "#core/access-token.ts";
import type { Job } from "./scheduler.ts";

/** Writes when access tokens were last used, in one statement for all requests of a minute. */
export function noteTokenUses(accessTokens: Pick<AccessTokens, "noteUses">): Job {
  return { name: "note-token-uses", everyMs: 60_000, run: () => accessTokens.noteUses() };
}

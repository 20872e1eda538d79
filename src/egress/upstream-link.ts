import type { Reach } from "#core/channel.ts";
import { hostOf, portOf, type GuardRules } from "./guard.ts";
import { CLOSED } from "./reach.ts";

/** The upstream that gave a link, and the networks that its channel may reach; any if absent. */
export interface LinkGiver {
  readonly url: URL;
  readonly reach?: Reach;
}

/**
 * The operator configured this upstream, so the channel's address rules apply;
 * redirect targets are untrusted.
 */
export function ownLink({
  url,
  reach = "private",
}: LinkGiver): Pick<GuardRules, "allow" | "deny" | "names" | "ports"> {
  return {
    ...(reach === "private" ? { allow: ["0.0.0.0/0", "::/0"] } : {}),
    deny: CLOSED,
    names: [hostOf(url)],
    ports: [portOf(url)],
  };
}

import type { Reach } from "#core/channel.ts";
import { hostOf, portOf, type GuardRules } from "./guard.ts";
import { CLOSED } from "./reach.ts";

/** Whoever gave a link, and where its channel may lead; anywhere where nothing is said. */
export interface LinkGiver {
  readonly url: URL;
  readonly reach?: Reach;
}

/** The operator named this upstream, so it is reached as its channel is; where it redirects to is nobody's word. */
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

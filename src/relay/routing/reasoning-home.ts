import type { ReasoningHome, ReasoningHomes } from "#core/reasoning-home.ts";
import type { Begun, UpstreamTransport } from "../failover/attempt.ts";
import type { Call } from "../call.ts";
import { conversationDigests, type ConversationDigests } from "./conversation-digests.ts";
import type { Candidate, Plan, Route } from "./route.ts";

/** A call's conversation, if the serving account matters. */
export interface Homing {
  /** The account that served it before, if known. */
  readonly home: ReasoningHome | undefined;
  /** The plan with that account first. */
  readonly plan: Plan;
  keep(begun: Pick<Begun<unknown, Candidate>, "route" | "account">): void;
}

/**
 * Keeps a conversation on the account that created its reasoning, until that channel fails. Skipped
 * for models without reasoning, and if only one account can serve the call.
 */
export function findHome(
  call: Call,
  plan: Plan,
  homes: ReasoningHomes | undefined,
): Homing | Promise<Homing> {
  const stay = { home: undefined, plan, keep: keepNothing };
  if (homes === undefined || !hasChoice(plan) || !plan.routes.some(reasons)) return stay;
  const digests = conversationDigests(call);
  return digests === undefined ? stay : homeOf(digests, plan, homes);
}

function keepNothing(): void {}

async function homeOf(
  { beginning, answered }: ConversationDigests,
  plan: Plan,
  homes: ReasoningHomes,
): Promise<Homing> {
  const home = answered === undefined ? undefined : await homes.find([answered, beginning]);
  return {
    home,
    plan: home === undefined ? plan : { ...plan, home, routes: homeFirst(plan.routes, home) },
    keep({ route, account }) {
      homes.keep(answered ?? beginning, { channel: route.channel.name, account });
    },
  };
}

/** An account other than the earlier one serves the conversation. */
export function isAway(
  home: ReasoningHome | undefined,
  { channel }: Candidate,
  { account }: Pick<UpstreamTransport, "account">,
): boolean {
  if (home === undefined) return false;
  return home.channel !== channel.name || home.account !== account;
}

function hasChoice({ routes }: Plan): boolean {
  const [first] = routes;
  return routes.length > 1 || (first !== undefined && first.channel.credentials.length > 1);
}

function reasons({ traits }: Candidate): boolean {
  return traits.reasoningControls !== undefined;
}

function homeFirst(routes: readonly Route[], home: ReasoningHome): readonly Route[] {
  const isHome = ({ channel }: Route): boolean => channel.name === home.channel;
  return [...routes.filter(isHome), ...routes.filter((route) => !isHome(route))];
}

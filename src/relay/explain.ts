import { outOfQuota, periodAccounts } from "#core/budget.ts";
import { GatewayError } from "#core/error.ts";
import type { AccountId } from "#core/key.ts";
import { findUnderfunded, unopenedAccount, type Account, type Ledger } from "#core/ledger.ts";
import type { CallFeature } from "#core/model.ts";
import type { MediaFetcher } from "#core/media.ts";
import type { NanoUsd } from "#core/money.ts";
import { PLACEHOLDER } from "#egress/fetch.ts";
import { rateRefusal, type RateView } from "./metering/rate-reservations.ts";
import { askAdapter } from "./translation/adapted.ts";
import { pathOf } from "./failover/attempt.ts";
import type { Call } from "./call.ts";
import { passthroughRequest } from "./translation/passthrough.ts";
import { passthroughFor } from "./relay.ts";
import type { AdaptedRoute, Plan, Prospect, Route, Router, WireRoute } from "./routing/route.ts";
import { translateRequest } from "./translation/translate.ts";
import { isBounded, pricedFor } from "./routing/unpriced.ts";
import type { ReasoningCache } from "./translation/reasoning-cache.ts";

interface ExplainDeps {
  readonly router: Router;
  readonly reasoningCache: ReasoningCache;
  readonly ledger: Pick<Ledger, "findAccount">;
  readonly rates: RateView;
  readonly maxAttempts: number;
}

/** A dry run of a call. */
export interface Explanation {
  /** In the order of attempts; then the channels that would not be tried. */
  readonly channels: readonly ExplainedChannel[];
  /** The amount that would be reserved; undefined if the call would be refused before. */
  readonly estimate: { readonly outputTokens: number; readonly cost: NanoUsd } | undefined;
  /** The error that the client would get. */
  readonly refusal: GatewayError | undefined;
  /** The key's own account, if the key has a quota. */
  readonly account: Account | undefined;
  /** URLs that a call would download; an explanation does not. */
  readonly links: readonly string[];
}

export interface ExplainedChannel extends Prospect {
  /** Set for channels that a call could reach. */
  readonly request?: ExplainedRequest;
  /** The reason why the request cannot be built for this channel. */
  readonly refusal?: GatewayError;
}

interface ExplainedRequest {
  readonly way: "passed_through" | "translated" | "adapted";
  /** The upstream's style; undefined for an adapter. */
  readonly style: string | undefined;
  /** Relative to the channel's address; undefined for an adapter. */
  readonly path: string | undefined;
  /** The feature of the call that required this style, if it is not the client's. */
  readonly styleReason?: string;
  /** JSON as it would be sent, without credentials, which are added on sending. */
  readonly body: string;
  readonly lost: readonly string[];
}

/**
 * A dry run with the same functions that serve a call, up to the hold and the upstream request. It
 * calls no upstream and stores nothing.
 */
export async function explain(call: Call, deps: ExplainDeps): Promise<Explanation> {
  const { router, rates } = deps;
  const links = new Set<string>();
  const account = await accountOfKey(call, deps);
  const limited = await rateRefusal(call, { ...rates, router });
  let prospects: readonly Prospect[];
  try {
    prospects = router.survey(call, await isBounded(call.key, deps.ledger));
  } catch (cause) {
    const refusal = limited ?? GatewayError.from(cause);
    return { channels: [], estimate: undefined, refusal, account, links: [] };
  }

  const tried = prospects.filter((each) => each.objection === undefined).slice(0, deps.maxAttempts);
  const channels: ExplainedChannel[] = [];
  for (const prospect of prospects) {
    if (!tried.includes(prospect)) channels.push(prospect);
    else channels.push({ ...prospect, ...(await written(call, prospect.route, links, deps)) });
  }
  const admitted = await admit(call, deps);
  const { plan } = admitted;
  return {
    channels,
    estimate: plan && {
      cost: plan.estimate,
      outputTokens: Math.max(...plan.routes.map((each) => router.outputTokens(each, call))),
    },
    // A request that cannot be built for the first channel is refused, without failover.
    refusal: limited ?? admitted.refusal ?? channels[0]?.refusal,
    account,
    links: [...links],
  };
}

/** The steps of `relay` before the hold. */
async function admit(
  call: Call,
  { router, ledger }: ExplainDeps,
): Promise<{ readonly plan?: Plan; readonly refusal?: GatewayError }> {
  try {
    const plan = await pricedFor(call, router.plan(call), { router, ledger });
    const accounts = await accountsOf(call, ledger);
    const short = findUnderfunded(
      [...accounts.keys()],
      (id) => accounts.get(id),
      plan.estimate,
      call.at,
    );
    const { budgets } = call.key;
    return short === undefined ? { plan } : { plan, refusal: outOfQuota(short, budgets, call.at) };
  } catch (cause) {
    return { refusal: GatewayError.from(cause) };
  }
}

/** All accounts of the call, including current budget periods that no call has opened yet. */
async function accountsOf(
  { key, at }: Call,
  ledger: ExplainDeps["ledger"],
): Promise<ReadonlyMap<AccountId, Account | undefined>> {
  const accounts = new Map<AccountId, Account | undefined>();
  for (const id of key.accounts) accounts.set(id, await ledger.findAccount(id));
  for (const { id, budget } of periodAccounts(key.budgets ?? [], at)) {
    accounts.set(id, (await ledger.findAccount(id)) ?? unopenedAccount(id, budget));
  }
  return accounts;
}

/** A key without a quota uses its user's account, which a key may not see. */
async function accountOfKey({ key }: Call, { ledger }: ExplainDeps): Promise<Account | undefined> {
  const id = key.accounts.find((each) => each.startsWith("key:"));
  return id === undefined ? undefined : await ledger.findAccount(id);
}

async function written(
  call: Call,
  route: Route,
  links: Set<string>,
  { reasoningCache }: ExplainDeps,
): Promise<Pick<ExplainedChannel, "request" | "refusal">> {
  try {
    const shown = withoutPrompt(route);
    const request =
      shown.endpoint === undefined
        ? await forAdapter(call, shown, reasoningCache)
        : await forWire(call, shown, links, reasoningCache);
    return { request };
  } catch (cause) {
    return { refusal: GatewayError.from(cause) };
  }
}

/** Callers may ask for explanations, but the channel's system prompt is its owner's. */
function withoutPrompt(route: Route): Route {
  const { channel } = route;
  if (channel.systemPrompt === undefined) return route;
  return { ...route, channel: { ...channel, systemPrompt: "[system prompt of the channel]" } };
}

async function forWire(
  call: Call,
  route: WireRoute,
  links: Set<string>,
  reasoningCache: ReasoningCache,
): Promise<ExplainedRequest> {
  const passthrough = passthroughFor(call, route);
  const { endpoint, neededFor } = route;
  const usual = pathOf(route, call.facts.stream);
  const where = {
    style: endpoint.style.id,
    ...(neededFor === undefined ? {} : { styleReason: reasonFor(neededFor, endpoint.style.id) }),
  };
  if (passthrough !== undefined) {
    const { body, lost, path = usual } = passthroughRequest(call, route, passthrough);
    return { ...where, path, way: "passed_through", body, lost };
  }
  const media = noMedia(links);
  const {
    body,
    lost,
    path = usual,
  } = await translateRequest(call, route, { reasoningCache, media });
  return { ...where, path, way: "translated", body, lost };
}

function reasonFor(feature: CallFeature, style: string): string {
  const carried = `This model takes ${CALLS[feature]} in the ${style} style only.`;
  return `${carried} The call is sent in it, whatever the caller's style.`;
}

const CALLS: Readonly<Record<CallFeature, string>> = {
  any: "calls",
  tools: "tools together with reasoning",
  web_search: "a web search",
  effort_max: "the reasoning effort max",
};

/** Resolves every URL to empty content, and records it. */
function noMedia(links: Set<string>): MediaFetcher {
  return {
    async follow(url) {
      links.add(url);
      return { bytes: new Uint8Array(0), mediaType: "application/octet-stream" };
    },
  };
}

/** An adapter builds its request when the first event is read; it is stopped there. */
async function forAdapter(
  call: Call,
  route: AdaptedRoute,
  reasoningCache: ReasoningCache,
): Promise<ExplainedRequest> {
  let body: string | undefined;
  const { events, report } = await askAdapter(
    call,
    route,
    async (input, init) => {
      const request =
        input instanceof Request ? new Request(input, init) : new Request(String(input), init);
      body = (await request.text()).replaceAll(PLACEHOLDER, "");
      throw new GatewayError("canceled", "Nothing is sent.");
    },
    reasoningCache,
  );
  try {
    await events[Symbol.asyncIterator]().next();
  } catch (cause) {
    if (body === undefined) throw cause;
  }
  if (body === undefined) {
    throw new GatewayError(
      "internal",
      "The adapter returned a response without a request to the vendor.",
    );
  }
  return { way: "adapted", style: undefined, path: undefined, body, lost: report.fields };
}

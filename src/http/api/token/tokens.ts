import { GatewayError, invalid } from "#core/error.ts";
import type { ListedKey } from "#core/user-keys.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { numberOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readId } from "../read-id.ts";
import { wholeNumber } from "../whole-number.ts";
import { CHANGED_TOKEN, NEW_TOKEN, readStatus, readTokenFields } from "./token-fields.ts";
import { SHOWN_FIELDS, showToken } from "./token-json.ts";

const common = { access: "user", renderError: renderFailure } as const;

const PAGE_SIZE = { usual: 10, most: 100 } as const;
const MAX_PAGE = 1_000_000;

export const listTokens: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/token",
  summary: "Lists your tokens, latest first; `p` and `page_size` choose the page.",

  handle: (exchange, deps) => showPage(exchange, deps, requireUser(exchange).id),
};

export const getToken: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/token/:id",
  summary: "One of your tokens.",

  async handle(exchange, { ownKeys, clock }) {
    const found = await ownKeys.findOwn(requireUser(exchange).id, idInPath(exchange));
    return succeed(exchange.id, "", showToken(existing(found), clock.now()));
  },
};

export const createToken: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/token",
  summary: "Makes a token. Its key is in this answer, and cannot be shown again.",
  requestSchema: () => schemaOf(NEW_TOKEN),

  async handle(exchange, { ownKeys, clock, limits }) {
    const { id: userId } = requireUser(exchange);
    const fields = readTokenFields(await readFields(exchange, NEW_TOKEN));
    const draft = { ...draftOf(fields), userId };
    const { key, secret } = await ownKeys.create(draft, limits.keysPerUser);
    const listed = existing(await ownKeys.findOwn(userId, key.id));
    return succeed(exchange.id, "The token was made. Its key is not shown again.", {
      ...showToken(listed, clock.now()),
      key: secret,
    });
  },
};

export const updateToken: Route<HttpDeps> = {
  ...common,
  method: "PUT",
  path: "/api/token/:id",
  summary: "Changes a token; what is left out stays. With `status_only=true` only its status.",
  requestSchema: () => schemaOf(CHANGED_TOKEN),
  handle: (exchange, deps) => update(exchange, deps, idInPath(exchange)),
};

export const updateNamedToken: Route<HttpDeps> = {
  ...updateToken,
  path: "/api/token",
  summary: "The same, with the token's id in the body.",
  handle: (exchange, deps) => update(exchange, deps, undefined),
};

export const deleteToken: Route<HttpDeps> = {
  ...common,
  method: "DELETE",
  path: "/api/token/:id",
  summary: "Deletes a token for good; its running streams end.",

  async handle(exchange, { ownKeys }) {
    const deleted = await ownKeys.deleteOwn(requireUser(exchange).id, [idInPath(exchange)]);
    if (deleted.length === 0) throw noSuchToken();
    return succeed(exchange.id, "The token was deleted.");
  },
};

/** The page of a user's tokens for this query. */
export async function showPage(
  exchange: Exchange,
  { ownKeys, clock }: HttpDeps,
  userId: number,
): Promise<Response> {
  const { query } = exchange;
  const page = wholeNumber(query, "p", 1, MAX_PAGE);
  const size = wholeNumber(query, "page_size", PAGE_SIZE.usual, PAGE_SIZE.most);
  const { items, total } = await ownKeys.page(userId, (page - 1) * size, size);
  return succeed(exchange.id, "", {
    page,
    page_size: size,
    total,
    items: items.map((each) => showToken(each, clock.now())),
  });
}

async function update(
  exchange: Exchange,
  { ownKeys, clock }: HttpDeps,
  idOfPath: number | undefined,
): Promise<Response> {
  const body = await readFields(exchange, CHANGED_TOKEN, SHOWN_FIELDS);
  const idOfBody = numberOf(body["id"]);
  const id = idOfPath ?? idOfBody;
  if (id === undefined) throw invalid("id", "'id' must say which token to change.");
  if (idOfBody !== undefined && idOfBody !== id) {
    throw invalid("id", "'id' is another token's than the path's.");
  }

  const status = readStatus(body);
  const isStatusOnly = exchange.query.get("status_only") === "true";
  if (isStatusOnly && status === undefined) throw invalid("status", "'status' must be 1 or 2.");
  const changed = await ownKeys.update(requireUser(exchange).id, id, {
    ...(isStatusOnly ? {} : readTokenFields(body)),
    ...(status === undefined ? {} : { status }),
  });
  return succeed(exchange.id, "The token was changed.", showToken(existing(changed), clock.now()));
}

/** A new token has no limits to remove, so `null` and an absent field mean the same. */
function draftOf({ name = "", models = ["*"], quota, expiresAt, networks, ...more }: Fields) {
  const { endpoints, budgets = {}, limits = {} } = more;
  const { requestsPerMinute, tokensPerMinute, concurrency } = limits;
  return {
    name,
    models,
    ...present("quota", quota),
    budgets,
    ...present("expiresAt", expiresAt),
    ...present("networks", networks),
    ...present("endpoints", endpoints),
    limits: {
      ...present("requestsPerMinute", requestsPerMinute),
      ...present("tokensPerMinute", tokensPerMinute),
      ...present("concurrency", concurrency),
    },
  };
}

type Fields = ReturnType<typeof readTokenFields>;

function present<N extends string, T>(name: N, value: T | null | undefined) {
  // TypeScript widens a computed property name to `string`.
  return (value === null || value === undefined ? {} : { [name]: value }) as { [_ in N]?: T };
}

function existing(found: ListedKey | undefined): ListedKey {
  if (found === undefined) throw noSuchToken();
  return found;
}

/** The response for another user's token is the same as for an unknown one. */
export function noSuchToken(): GatewayError {
  return new GatewayError("not_found", "There is no such token.");
}

function idInPath(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchToken();
  return id;
}

import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import type { ListedKey } from "#core/user-keys.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { wholeNumber } from "../query-fields.ts";
import { raiseRoutes } from "../quota/raises.ts";
import { readId } from "../read-id.ts";
import { CHANGED_TOKEN, NEW_TOKEN, readStatus, readTokenFields } from "./token-fields.ts";
import { NEW_TOKEN_SHOWN, showToken, TOKEN } from "./token-json.ts";

const common = { access: "user", tag: "Tokens" } as const;

const MAX_PAGE = 1_000_000;

export const PAGE = z.object({
  p: wholeNumber(1, MAX_PAGE, "The page."),
  page_size: wholeNumber(10, 100, "Items of a page."),
});

export const PAGE_OF_TOKENS = z.object({
  page: z.int(),
  page_size: z.int(),
  total: z.int(),
  items: z.array(TOKEN),
});

const STATUS_ONLY = z.object({
  status_only: z
    .string()
    .optional()
    .transform((given) => given === "true")
    .meta({ type: "boolean", default: false, description: "Change only the status." }),
});

export const listTokens = management({
  operationId: "listTokens",
  ...common,
  scope: "keys:read",
  method: "GET",
  path: "/api/token",
  summary: "Lists your tokens, latest first, in pages of `p` and `page_size`.",
  query: PAGE,
  data: PAGE_OF_TOKENS,

  handle: (exchange, deps: Pick<AccountDeps, "clock" | "userKeys">, { query }) =>
    showPage(exchange, deps, requireUser(exchange).id, query),
});

export const getToken = management({
  operationId: "getToken",
  ...common,
  scope: "keys:read",
  method: "GET",
  path: "/api/token/:id",
  summary: "One of your tokens.",
  data: TOKEN,

  async handle(exchange, { userKeys, clock }: Pick<AccountDeps, "userKeys" | "clock">) {
    const found = await userKeys.findOwn(requireUser(exchange).id, idInPath(exchange));
    return succeed(exchange.id, "", showToken(existing(found), clock.now()));
  },
});

export const createToken = management({
  operationId: "createToken",
  ...common,
  scope: "keys:write",
  method: "POST",
  path: "/api/token",
  summary: "Creates a token. Only this answer contains its key.",
  body: NEW_TOKEN,
  data: NEW_TOKEN_SHOWN,

  async handle(exchange, deps: Pick<AccountDeps, "userKeys" | "clock" | "limits">, { body }) {
    return await createFor(exchange, deps, requireUser(exchange).id, body);
  },
});

const changing = {
  ...common,
  method: "PUT",
  query: STATUS_ONLY,
  body: CHANGED_TOKEN,
  data: TOKEN,
} as const;

export const updateToken = management({
  operationId: "updateToken",
  ...changing,
  scope: "keys:write",
  path: "/api/token/:id",
  summary:
    "Changes a token. Absent fields stay unchanged. `status_only=true` changes only its status.",
  handle: (exchange, deps: Pick<AccountDeps, "clock" | "userKeys">, input) =>
    update(exchange, deps, input, idInPath(exchange)),
});

export const updateNamedToken = management({
  operationId: "updateNamedToken",
  ...changing,
  scope: "keys:write",
  path: "/api/token",
  summary: "The same, with the token's id in the body.",
  handle: (exchange, deps: Pick<AccountDeps, "clock" | "userKeys">, input) =>
    update(exchange, deps, input, undefined),
});

export const tokenRaises = raiseRoutes({
  scope: "keys:write",
  of: "Token",
  whose: "a token",
  ...common,
  path: "/api/token/:id",
  async findOwner(exchange, { userKeys }: Pick<AccountDeps, "userKeys">) {
    const id = idInPath(exchange);
    existing(await userKeys.findOwn(requireUser(exchange).id, id));
    return `key:${id}` as const;
  },
});

export const deleteToken = management({
  operationId: "deleteToken",
  ...common,
  scope: "keys:write",
  method: "DELETE",
  path: "/api/token/:id",
  summary: "Deletes a token permanently; its running streams end.",

  async handle(exchange, { userKeys }: Pick<AccountDeps, "userKeys">) {
    const deleted = await userKeys.deleteOwn(requireUser(exchange).id, [idInPath(exchange)]);
    if (deleted.length === 0) throw noSuchToken();
    return succeed(exchange.id, "The token was deleted.");
  },
});

/** The page of a user's tokens for this query. */
export async function showPage(
  exchange: Exchange,
  { userKeys, clock }: Pick<AccountDeps, "clock" | "userKeys">,
  userId: number,
  { p: page, page_size: size }: z.output<typeof PAGE>,
): Promise<Response> {
  const { items, total } = await userKeys.page(userId, (page - 1) * size, size);
  return succeed(exchange.id, "", {
    page,
    page_size: size,
    total,
    items: items.map((each) => showToken(each, clock.now())),
  });
}

/** Creates a key of a user, and shows it once. */
export async function createFor(
  exchange: Exchange,
  { userKeys, clock, limits }: Pick<AccountDeps, "userKeys" | "clock" | "limits">,
  userId: number,
  body: z.output<typeof NEW_TOKEN>,
): Promise<Response> {
  const draft = { ...draftOf(readTokenFields(body)), userId };
  const { key, secret } = await userKeys.create(draft, limits.keysPerUser);
  const listed = existing(await userKeys.findOwn(userId, key.id));
  return succeed(exchange.id, "The token was created. Its key is not shown again.", {
    ...showToken(listed, clock.now()),
    key: secret,
  });
}

interface Changing {
  readonly query: z.output<typeof STATUS_ONLY>;
  readonly body: z.output<typeof CHANGED_TOKEN>;
}

async function update(
  exchange: Exchange,
  { userKeys, clock }: Pick<AccountDeps, "clock" | "userKeys">,
  { query, body }: Changing,
  idOfPath: number | undefined,
): Promise<Response> {
  const { id: idOfBody } = body;
  const id = idOfPath ?? idOfBody;
  if (id === undefined) throw invalid("id", "'id' is required: the token to change.");
  if (idOfBody !== undefined && idOfBody !== id) {
    throw invalid("id", "'id' differs from the id in the path.");
  }

  const status = readStatus(body.status);
  const isStatusOnly = query.status_only;
  if (isStatusOnly && status === undefined) throw invalid("status", "'status' must be 1 or 2.");
  const changed = await userKeys.update(requireUser(exchange).id, id, {
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

export function existing(found: ListedKey | undefined): ListedKey {
  if (found === undefined) throw noSuchToken();
  return found;
}

/** The response for another user's token is the same as for an unknown one. */
export function noSuchToken(): GatewayError {
  return new GatewayError("not_found", "Token not found.");
}

function idInPath(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchToken();
  return id;
}

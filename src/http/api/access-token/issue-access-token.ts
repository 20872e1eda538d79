import type { z } from "zod";
import type { User } from "#core/user.ts";
import type { AccessTokenDeps } from "#http/deps/access-tokens.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { type NEW_ACCESS_TOKEN, readAccessToken } from "./access-token-draft.ts";
import { showAccessToken } from "./access-token-json.ts";

export type IssueDeps = Pick<AccessTokenDeps, "accessTokens" | "scopesOf" | "clock" | "limits">;

/** Creates an access token of a user, and shows it once. It gives no more than the caller has. */
export async function issueAccessToken(
  exchange: Exchange,
  { accessTokens, scopesOf, clock, limits }: IssueDeps,
  user: User,
  body: z.output<typeof NEW_ACCESS_TOKEN>,
): Promise<Response> {
  const callers = scopesOf(requireUser(exchange));
  const users = scopesOf(user);
  const draft = readAccessToken(body, {
    token: exchange.accessToken,
    grantable: users.filter((each) => callers.includes(each)),
    now: clock.now(),
  });
  const made = await accessTokens.create({ ...draft, userId: user.id }, limits.accessTokensPerUser);
  exchange.note({ user: user.name, access_token: made.token.id });
  return succeed(exchange.id, "The access token was created. It is not shown again.", {
    ...showAccessToken(made.token),
    token: made.secret,
  });
}

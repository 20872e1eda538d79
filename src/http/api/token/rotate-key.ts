import { z } from "zod";
import { invalid } from "#core/error.ts";
import { mayManage } from "#core/manage-user.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";
import { NEW_TOKEN_SHOWN, showToken, TOKEN } from "./token-json.ts";
import { existing, noSuchToken } from "./tokens.ts";

const common = { access: "user", scope: "keys:write", tag: "Tokens" } as const;

const DEFAULT_OVERLAP_S = 86_400;
const MAX_OVERLAP_S = 365 * 86_400;

const ROTATION = z.strictObject({
  overlap_s: optional(z.int().min(0).max(MAX_OVERLAP_S)).describe(
    "Time for which the present secret still works; a day if absent.",
  ),
});

type Deps = Pick<AccountDeps, "clock" | "limits" | "userKeys" | "users">;

interface ManagedKey {
  readonly id: number;
  readonly userId: number;
}

export const rotateKey = management({
  operationId: "rotateKey",
  ...common,
  method: "POST",
  path: "/api/key/:id/rotate",
  summary:
    "Gives a token a new key, which only this answer contains. The present key works until the end of " +
    "the overlap. The token may be yours, of a user below you, or of a member of the team that you own.",
  body: ROTATION,
  data: NEW_TOKEN_SHOWN,

  async handle(exchange, deps: Deps, { body: { overlap_s = DEFAULT_OVERLAP_S } }) {
    const overlapMs = overlap_s * 1_000;
    const { keyOverlapMs } = deps.limits;
    if (overlapMs > keyOverlapMs) {
      const most = Math.floor(keyOverlapMs / 1_000);
      throw invalid("overlap_s", `'overlap_s' must be at most ${most} (limits.key_overlap_ms).`);
    }
    const { id, userId } = await findManagedKey(exchange, deps);
    const rotated = await deps.userKeys.rotate(userId, id, overlapMs);
    if (rotated === undefined) throw noSuchToken();
    return succeed(exchange.id, "The token has a new key, which is not shown again.", {
      ...showToken(rotated.listed, deps.clock.now()),
      key: rotated.secret,
    });
  },
});

export const endOldSecret = management({
  operationId: "endOldSecret",
  ...common,
  method: "DELETE",
  path: "/api/key/:id/old-secret",
  summary: "Ends the overlap of a rotation: the old key of the token is refused at once.",
  data: TOKEN,

  async handle(exchange, deps: Deps) {
    const { id, userId } = await findManagedKey(exchange, deps);
    if (!(await deps.userKeys.endOldSecret(userId, id))) {
      throw invalid("id", "This token has no old key.");
    }
    const listed = existing(await deps.userKeys.findOwn(userId, id));
    return succeed(exchange.id, "The old key was ended.", showToken(listed, deps.clock.now()));
  },
});

/** The key in the path, if it is the caller's or the caller manages its user. */
async function findManagedKey(
  exchange: Exchange,
  { userKeys, users }: Pick<Deps, "userKeys" | "users">,
): Promise<ManagedKey> {
  const id = readId(exchange.param("id"));
  const userId = id === undefined ? undefined : await userKeys.ownerOf(id);
  if (id === undefined || userId === undefined) throw noSuchToken();
  const actor = requireUser(exchange);
  if (userId === actor.id) return { id, userId };
  const user = await users.find(userId);
  if (user === undefined || !mayManage(actor, user)) throw noSuchToken();
  exchange.note({ user: user.name });
  return { id, userId };
}

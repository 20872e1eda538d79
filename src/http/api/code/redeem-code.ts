import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { RedemptionDeps } from "#http/deps/joining.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { QUOTA, showQuota } from "../quota/show-quota.ts";
import { showUsd } from "../usd.ts";

export const redeemCode = management({
  operationId: "redeemCode",
  tag: "Quota",
  method: "POST",
  path: "/api/user/self/quota/redeem",
  access: "user",
  scope: "account:write",
  summary: "Raises your quota with a redemption code, once.",
  body: z.strictObject({ code: z.string().min(1).max(64).meta({ writeOnly: true }) }),
  data: z.object({ added_usd: z.number(), ...QUOTA }),

  async handle(exchange, deps: RedemptionDeps, { body: { code } }) {
    const { id } = requireUser(exchange);
    const { address } = exchange.client;
    // Guesses at codes are throttled like guesses at passwords; cannot equal a login name.
    const name = `(redemption code of ${id})`;
    await deps.loginLimits.enter(name, address);
    const amount = await deps.codes.redeem(code, id);
    if (amount === undefined) {
      throw new GatewayError(
        "not_found",
        "This code is wrong, used or has ended. Check its characters.",
      );
    }
    deps.loginLimits.succeeded(name, address);
    const added = showUsd(amount);
    exchange.note({ added_usd: added });
    return succeed(exchange.id, "Your quota was raised.", {
      added_usd: added,
      ...(await showQuota(`user:${id}`, deps)),
    });
  },
});

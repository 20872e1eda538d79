import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { otpauthUri, toBase32 } from "#lib/totp.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import { ownSession, startSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";
import { proveSelf } from "./prove.ts";
import { CODE, TRIED_PASSWORD } from "./user-fields.ts";

const ISSUER = "Sluice";

const PROOF = z.strictObject({ password: optional(TRIED_PASSWORD), code: optional(CODE) });

export const beginSecondFactor = management({
  operationId: "beginSecondFactor",
  tag: "Account",
  method: "POST",
  path: "/api/user/self/second-factor",
  access: "mfa_pending",
  scope: "account:write",
  summary:
    "Creates a secret for your authenticator. It takes effect after its first valid code. " +
    "Requires your password, and a code if you already have a second factor.",
  body: PROOF,
  data: z.object({ secret: z.string().describe("Base 32."), uri: z.string() }),

  async handle(
    exchange,
    deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactors">,
    { body },
  ) {
    const user = requireUser(exchange);
    await proveSelf(exchange, deps, user, body);
    const secret = await deps.secondFactors.begin(user.id);
    return succeed(exchange.id, "Add this secret to your authenticator, then submit a code.", {
      secret: toBase32(secret),
      uri: otpauthUri(secret, ISSUER, user.email ?? user.name),
    });
  },
});

const SHOWN = z.strictObject({ code: CODE });

export const confirmSecondFactor = management({
  operationId: "confirmSecondFactor",
  tag: "Account",
  method: "POST",
  path: "/api/user/self/second-factor/confirm",
  access: "mfa_pending",
  scope: "account:write",
  summary:
    "Checks the first code of your authenticator and returns recovery codes, which are not shown " +
    "again. Ends your other logins.",
  body: SHOWN,
  data: z.object({ recovery_codes: z.array(z.string()) }),

  async handle(
    exchange,
    deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactors">,
    { body: { code } },
  ) {
    const { secondFactors, loginLimits } = deps;
    const user = requireUser(exchange);
    const name = `(new code of ${user.id})`;
    await loginLimits.enter(name, exchange.client.address);
    const codes = await secondFactors.confirm(user.id, code);
    if (codes === undefined) {
      throw new GatewayError(
        "forbidden",
        "'code' is not a valid code of the new secret, or has expired.",
      );
    }
    loginLimits.succeeded(name, exchange.client.address);
    const response = succeed(exchange.id, "Keep the recovery codes; they are not shown again.", {
      recovery_codes: codes,
    });
    if (ownSession(exchange) === undefined) return response;
    return await startSession(exchange, deps, user.id, true, response);
  },
});

export const removeOwnSecondFactor = management({
  operationId: "removeOwnSecondFactor",
  tag: "Account",
  method: "DELETE",
  path: "/api/user/self/second-factor",
  access: "user",
  scope: "account:write",
  summary: "Removes your second factor. Requires your password and a code.",
  body: PROOF,

  async handle(
    exchange,
    deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactors">,
    { body },
  ) {
    const user = requireUser(exchange);
    if (!user.hasSecondFactor) throw none("You have no second factor.");
    await proveSelf(exchange, deps, user, body);
    await deps.secondFactors.remove(user.id);
    return succeed(exchange.id, "Your second factor was removed.");
  },
});

export const removeSecondFactor = management({
  operationId: "removeSecondFactor",
  tag: "Users",
  method: "DELETE",
  path: "/api/user/:id/second-factor",
  access: "admin",
  scope: "users:write",
  summary: "Removes the second factor of a user of a role below your own.",

  async handle(exchange, { users, secondFactors }: Pick<LoginDeps, "users" | "secondFactors">) {
    const user = await findUser(exchange, users);
    refuseUnlessAbove(requireUser(exchange), user.role);
    if (await secondFactors.remove(user.id)) {
      return succeed(exchange.id, "The user's second factor was removed.");
    }
    throw none("This user has no second factor.");
  },
});

function none(message: string): GatewayError {
  return new GatewayError("not_found", message);
}

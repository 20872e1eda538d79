import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { Exchange } from "#http/routes.ts";
import { ownSession } from "#http/start-session.ts";

type ProofDeps = Pick<LoginDeps, "logins" | "loginLimits" | "secondFactors">;

/** Re-authentication: an open browser or a stolen token is not enough to take over an account. */
export async function provePassword(
  { client }: Exchange,
  { logins, loginLimits }: ProofDeps,
  user: User,
  password: string | undefined,
  field: string,
): Promise<void> {
  await loginLimits.enter(user.name, client.address);
  if ((await logins.checkPassword(user.name, password ?? "")) === undefined) {
    throw new GatewayError("forbidden", `'${field}' is not your password.`);
  }
  loginLimits.succeeded(user.name, client.address);
}

/**
 * For users with a second factor. Guesses at the code are throttled as strictly as guesses at a
 * password.
 */
export async function isCodeGood(
  { client }: Exchange,
  { loginLimits, secondFactors }: ProofDeps,
  user: User,
  code: string,
): Promise<boolean> {
  // Cannot equal a login name. A correct password does not reset the throttle for codes.
  const name = `(code of ${user.id})`;
  await loginLimits.enter(name, client.address);
  if (!(await secondFactors.spend(user.id, code))) return false;
  loginLimits.succeeded(name, client.address);
  return true;
}

async function proveCode(
  exchange: Exchange,
  deps: ProofDeps,
  user: User,
  code: string | undefined,
): Promise<void> {
  if (!user.hasSecondFactor) return;
  if (code !== undefined && (await isCodeGood(exchange, deps, user, code))) return;
  throw new GatewayError("forbidden", "'code' is wrong or was already used.");
}

interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/**
 * A user of single sign-on without a password must have logged in by it: an access token is not
 * enough.
 */
export async function proveSelf(
  exchange: Exchange,
  deps: ProofDeps,
  user: User,
  { password, code }: Proof,
  field = "password",
): Promise<void> {
  if (user.hasPassword || ownSession(exchange) === undefined) {
    await provePassword(exchange, deps, user, password, field);
  }
  await proveCode(exchange, deps, user, code);
}

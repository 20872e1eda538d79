import { GatewayError } from "#core/error.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { Exchange } from "#http/routes.ts";

/** Limits mails by the client's address, and by the address that gets them. */
export async function enterMail(
  { client }: Exchange,
  { loginLimits }: Pick<LoginDeps, "loginLimits">,
  purpose: string,
  email: string,
): Promise<void> {
  await loginLimits.enter(purpose, client.address);
  await loginLimits.enter("(mail)", email);
}

export function endedLink(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "This link is invalid, used or has expired. Ask for a new one.",
  );
}

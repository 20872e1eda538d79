import { invalid } from "#core/error.ts";
import { isEmail, isUserName, passwordProblem, PASSWORD_CHARS } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";

export const USERNAME = text({ minLength: 1, maxLength: 64 });
export const EMAIL = text({ minLength: 3, maxLength: 254 });
export const DISPLAY_NAME = text({ minLength: 1, maxLength: 100 });
/** One that is tried may have any length that could be somebody's. */
export const TRIED_PASSWORD = text({ minLength: 1, maxLength: PASSWORD_CHARS.max, isSecret: true });
/** Of an authenticator, or a recovery code. */
export const CODE = text({ minLength: 1, maxLength: 32, isSecret: true });
export const NEW_PASSWORD = text({
  minLength: PASSWORD_CHARS.min,
  maxLength: PASSWORD_CHARS.max,
  isSecret: true,
});

export function readUserName(body: JsonObject): string {
  const given = (textOf(body["username"]) ?? "").toLowerCase();
  if (isUserName(given)) return given;
  throw invalid(
    "username",
    "'username' must be of letters, digits, dots, dashes and underscores, and begin with one of the first two.",
  );
}

export function readEmail(body: JsonObject): string | undefined {
  const given = textOf(body["email"])?.toLowerCase();
  if (given === undefined || isEmail(given)) return given;
  throw invalid("email", "'email' is not an address.");
}

export function readNewPassword(body: JsonObject): string | undefined {
  const given = textOf(body["password"]);
  const problem = given === undefined ? undefined : passwordProblem(given);
  if (problem === undefined) return given;
  throw invalid("password", `The password ${problem}`);
}

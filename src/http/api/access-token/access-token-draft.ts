import { z } from "zod";
import type { AccessToken, AccessTokenDraft } from "#core/access-token.ts";
import { GatewayError, invalid } from "#core/error.ts";
import { SCOPE_NAMES, type Scope } from "#core/scope.ts";
import { defined } from "#lib/values.ts";
import { NAME } from "../name-fields.ts";

const LAST_SECOND = 253_402_300_799;

export const NEW_ACCESS_TOKEN = z.strictObject({
  name: NAME,
  scopes: z
    .array(z.enum(SCOPE_NAMES))
    .min(1)
    .max(SCOPE_NAMES.length)
    .nullish()
    .describe("What it may be used for; null for everything."),
  expires_at: z.int().min(1).max(LAST_SECOND).describe("Unix seconds; null for never.").nullish(),
});

/** Rights and end of a token stay as they were given. */
export const RENAMED_ACCESS_TOKEN = z.strictObject({ name: NAME });

interface Giver {
  /** The token that authenticated the request, which gives nothing that it lacks. */
  readonly token: AccessToken | undefined;
  /** Scopes that the new token's user may use. */
  readonly grantable: readonly Scope[];
  readonly now: number;
}

/** Throws if the new token would allow more, or last longer, than its giver. */
export function readAccessToken(
  { name, scopes, expires_at }: z.output<typeof NEW_ACCESS_TOKEN>,
  { token, grantable, now }: Giver,
): Omit<AccessTokenDraft, "userId"> {
  const endsAt = typeof expires_at === "number" ? expires_at * 1_000 : undefined;
  if (endsAt !== undefined && endsAt <= now) {
    throw invalid("expires_at", "'expires_at' must be in the future.");
  }
  if (token?.endsAt !== undefined && (endsAt ?? Infinity) > token.endsAt) {
    throw exceeds("A token that is made with a token must not outlast it. Set 'expires_at'.");
  }
  if (scopes === null || scopes === undefined) {
    if (token?.scopes !== undefined) throw exceeds("This token may not give all scopes.");
    return { name, ...defined({ endsAt }) };
  }
  const lacking = scopes.find((each) => !mayGive(each, grantable, token));
  if (lacking !== undefined) throw exceeds(`You may not give the scope '${lacking}'.`);
  return {
    name,
    scopes: SCOPE_NAMES.filter((each) => scopes.includes(each)),
    ...defined({ endsAt }),
  };
}

/** Those of `grantable` that a request with this token may give. */
export function givenBy(
  token: AccessToken | undefined,
  grantable: readonly Scope[],
): readonly Scope[] {
  return grantable.filter((each) => mayGive(each, grantable, token));
}

function mayGive(
  scope: Scope,
  grantable: readonly Scope[],
  token: AccessToken | undefined,
): boolean {
  return grantable.includes(scope) && token?.scopes?.includes(scope) !== false;
}

function exceeds(message: string): GatewayError {
  return new GatewayError("forbidden", message);
}

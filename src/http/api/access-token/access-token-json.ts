import { z } from "zod";
import type { AccessToken } from "#core/access-token.ts";
import { SCOPE_NAMES, SCOPES, type Scope } from "#core/scope.ts";
import type { JsonObject } from "#lib/json.ts";
import { seconds } from "../seconds.ts";

const FIELDS = {
  id: z.int(),
  name: z.string(),
  last4: z.string().nullable().describe("Null for tokens of earlier versions."),
  scopes: z
    .array(z.enum(SCOPE_NAMES))
    .nullable()
    .describe("What it may be used for; null for everything."),
  created_at: z.int().nullable(),
  used_at: z.int().nullable().describe("To about a minute; null if it was never used."),
  expires_at: z.int().nullable().describe("Null for never."),
};

export const ACCESS_TOKEN = z.object(FIELDS).meta({ id: "AccessToken" });

export const NEW_ACCESS_TOKEN_SHOWN = z.object({
  ...FIELDS,
  token: z.string().describe("The token itself, which is not shown again."),
});

export const GRANTABLE = z
  .array(z.object({ scope: z.enum(SCOPE_NAMES), description: z.string() }))
  .describe("Scopes that you may give to a new token.");

export function showAccessToken(token: AccessToken): JsonObject {
  return {
    id: token.id,
    name: token.name,
    last4: token.last4 ?? null,
    scopes: token.scopes ?? null,
    created_at: token.createdAt === undefined ? null : seconds(token.createdAt),
    used_at: token.usedAt === undefined ? null : seconds(token.usedAt),
    expires_at: token.endsAt === undefined ? null : seconds(token.endsAt),
  };
}

export function showGrantable(scopes: readonly Scope[]): JsonObject[] {
  return scopes.map((scope) => ({ scope, description: SCOPES[scope] }));
}

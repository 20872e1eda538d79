import { claimsOf } from "#core/sign-on-rules.ts";
import { openIdentityProvider } from "#egress/oidc/identity-provider.ts";
import { CALLBACK_PATH } from "#http/api/user/oidc.ts";
import type { SingleSignOn } from "#http/single-sign-on.ts";
import { signOnGrants } from "#http/sign-on-grants.ts";
import { openSeal } from "#lib/seal.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";

/** Undefined if no identity provider is configured. */
export function openSignOn({
  config: { settings },
  settings: live,
  publicUrl,
  pepper,
  clock,
  log,
  storage: { users, teams, groups },
}: Pick<Infrastructure, "config" | "settings" | "publicUrl" | "pepper" | "clock" | "log"> &
  Stores<"users" | "teams" | "groups">): SingleSignOn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcQuota } = settings;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  if (oidcClientSecret === undefined || publicUrl === undefined) return undefined;
  return {
    provider: openIdentityProvider({
      issuer: oidcIssuer,
      clientId: oidcClientId,
      scopes: settings.oidcScopes,
      openSecret: oidcClientSecret.open,
      callback: publicUrl + CALLBACK_PATH,
      allow: settings.oidcNetworks,
      clock,
    }),
    name: settings.oidcName,
    rules: {
      domains: settings.oidcDomains,
      newUsers: settings.oidcNewUsers,
      role: settings.oidcRole,
      ...(oidcQuota === undefined ? {} : { quota: oidcQuota }),
    },
    applyRules: signOnGrants({
      users,
      teams,
      groups,
      rules: () => live.oidcRules,
      usualRole: settings.oidcRole,
      onProblem: (problem, userId) =>
        log.warn({ problem, userId }, "rule of single sign-on not applied"),
    }),
    neededClaims: () => claimsOf(live.oidcRules),
    isSecondFactor: settings.oidcSecondFactor === "trust",
    seal: openSeal(pepper, "single sign-on"),
  };
}

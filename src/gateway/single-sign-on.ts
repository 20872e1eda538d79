import { openIdentityProvider } from "#egress/oidc/identity-provider.ts";
import { CALLBACK_PATH } from "#http/api/user/oidc.ts";
import type { SingleSignOn } from "#http/single-sign-on.ts";
import { openSeal } from "#lib/seal.ts";
import type { Infrastructure } from "./infrastructure.ts";

/** Undefined if no identity provider is configured. */
export function openSignOn({
  config: { settings },
  publicUrl,
  pepper,
  clock,
}: Pick<Infrastructure, "config" | "publicUrl" | "pepper" | "clock">): SingleSignOn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcQuota } = settings;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  if (oidcClientSecret === undefined || publicUrl === undefined) return undefined;
  return {
    provider: openIdentityProvider({
      issuer: oidcIssuer,
      clientId: oidcClientId,
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
    isSecondFactor: settings.oidcSecondFactor === "trust",
    seal: openSeal(pepper, "single sign-on"),
  };
}

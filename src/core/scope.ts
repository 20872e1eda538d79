/**
 * The rights that an access token may have. Each route of the management API names one of them
 * (`LoginPermission` of `http/routes.ts`). The rights of the token's user stay the upper bound.
 */
export const SCOPES = {
  "account:read": "Read the own account, its sessions and its access tokens.",
  "account:write": "Change the own account, end its sessions, make and revoke access tokens.",
  "keys:read": "List API keys.",
  "keys:write": "Make, change, rotate and delete API keys.",
  "logs:read": "Read the log of calls.",
  "content:read": "Read stored prompts and answers of calls.",
  "usage:read": "Read usage, quotas and amounts spent.",
  "audit:read": "Read and verify the audit log.",
  "webhooks:read": "List webhook deliveries.",
  "webhooks:write": "Redeliver webhooks, read and rotate their signing secret.",
  "assets:read": "List assets, their groups and verifications of persons.",
  "assets:write": "Make, rename and delete assets and their groups, begin verifications.",
  "alerts:read": "Read alerts, their rules, destinations and deliveries.",
  "alerts:write": "Change alert rules and destinations, acknowledge and silence alerts.",
  "channels:read": "Read channels and their health.",
  "channels:write": "Make, change, test and delete channels.",
  "models:read": "Read models, prices and the catalogue.",
  "models:write": "Change models and prices, update the catalogue.",
  "users:read": "List users, service accounts and their access tokens.",
  "users:write": "Make, change and delete users and service accounts, set their quotas.",
  "groups:read": "Read groups of users.",
  "groups:write": "Make, change and delete groups of users.",
  "teams:read": "Read teams.",
  "teams:write": "Make, change and delete teams, set their quotas.",
  "settings:read": "Read settings.",
  "settings:write": "Change settings.",
  "config:read": "Export the whole configuration.",
  "config:write": "Apply a whole configuration, which may change everything.",
} as const;

export type Scope = keyof typeof SCOPES;

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}

export const SCOPE_NAMES: readonly Scope[] = Object.keys(SCOPES).filter(isScope);

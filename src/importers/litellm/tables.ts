import type { JsonObject } from "#lib/json.ts";

/** Tables that are read, if the version has them. */
export const LITELLM_TABLES = [
  "LiteLLM_ProxyModelTable",
  "LiteLLM_CredentialsTable",
  "LiteLLM_BudgetTable",
  "LiteLLM_TeamTable",
  "LiteLLM_ModelTable",
  "LiteLLM_UserTable",
  "LiteLLM_TeamMembership",
  "LiteLLM_VerificationToken",
  "LiteLLM_OrganizationTable",
  "LiteLLM_EndUserTable",
  "LiteLLM_Config",
] as const;

export type LitellmTables = {
  readonly [T in (typeof LITELLM_TABLES)[number]]?: readonly JsonObject[];
};

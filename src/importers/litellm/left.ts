import type { JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";
import type { ImportDraft } from "../draft.ts";
import { Row } from "../row.ts";
import type { LitellmTables } from "./tables.ts";

interface Rest {
  readonly file: JsonObject;
  readonly tables: LitellmTables;
  /** Variables that the file names and that are not set. */
  readonly missing: readonly string[];
  readonly hasSalt: boolean;
}

const ROUTER_TAKEN = new Set(["model_group_alias"]);

/** Names the parts that an import does not take, with reasons. */
export function leaveRest({ file, tables, missing, hasSalt }: Rest, draft: ImportDraft): void {
  if (missing.length > 0) {
    draft.leave(
      `variables ${missing.join(", ")}`,
      "They are not set where the import runs. Set them and repeat the plan, to take their credentials.",
    );
  }
  if (!hasSalt && (tables.LiteLLM_ProxyModelTable ?? []).length > 0) {
    draft.leave(
      "encrypted parameters of models",
      "Set LITELLM_SALT_KEY, or LITELLM_MASTER_KEY if there is no salt key, and repeat the plan.",
    );
  }
  if ((tables.LiteLLM_VerificationToken ?? []).length > 0) {
    draft.leave(
      "the log of calls",
      "Only the totals are taken, so that what users, teams and keys have left stays true. Keep the old database for its log.",
    );
    draft.leave(
      "the master key, passwords and logins",
      "Root has its own login here. Users get one by a mailed link, single sign-on or an admin.",
    );
  }
  leaveOrganizations(tables, draft);
  const customers = tables.LiteLLM_EndUserTable ?? [];
  if (customers.length > 0) {
    const names = customers.map((each) => new Row(each).text("user_id") ?? "");
    draft.leave(
      `customers ${names.join(", ")}`,
      "Sluice has no budgets of end users. Give such a customer a key with a budget.",
    );
  }
  leaveSections(file, draft);
}

function leaveOrganizations(tables: LitellmTables, draft: ImportDraft): void {
  const budgets = new Map(
    (tables.LiteLLM_BudgetTable ?? []).map((each) => {
      const row = new Row(each);
      return [row.text("budget_id") ?? "", row] as const;
    }),
  );
  for (const each of tables.LiteLLM_OrganizationTable ?? []) {
    const row = new Row(each);
    const budget = budgets.get(row.text("budget_id") ?? "");
    const amount = budget?.number("max_budget");
    const bound =
      amount === undefined
        ? ""
        : ` Its budget of $${amount} for ${budget?.text("budget_duration") ?? "all time"} binds nothing here: give its teams budgets.`;
    draft.leave(
      `organization ${row.text("organization_alias") ?? row.text("organization_id") ?? ""}`,
      `Sluice has teams, but nothing above them.${bound}`,
    );
  }
}

function leaveSections(file: JsonObject, draft: ImportDraft): void {
  const router = objectOf(file["router_settings"]) ?? {};
  const fallbacks = Object.keys(router).filter((name) => name.endsWith("fallbacks"));
  if (fallbacks.length > 0) {
    draft.leave(
      `router_settings: ${fallbacks.join(", ")}`,
      "Here a call stays with its model, on any of its channels. Map a model's name to another vendor's model on a channel with a higher priority number.",
    );
  }
  const others = Object.keys(router).filter(
    (name) => !ROUTER_TAKEN.has(name) && !fallbacks.includes(name),
  );
  if (others.length > 0) {
    draft.leave(
      `router_settings: ${others.join(", ")}`,
      "Retries, cooldowns and limits are settings of Sluice with values of its own; see docs/failover.md.",
    );
  }
  for (const section of ["litellm_settings", "general_settings", "environment_variables"]) {
    const names = Object.keys(objectOf(file[section]) ?? {});
    if (names.length === 0) continue;
    draft.leave(
      `${section}: ${names.join(", ")}`,
      "They belong to LiteLLM's own process. Budgets and limits among them are set here for users, teams, keys or groups.",
    );
  }
  const guardrails = listOf(file["guardrails"]).length;
  if (guardrails > 0) {
    draft.leave(`${guardrails} guardrails`, "Sluice does not read the text of calls.");
  }
}

import type { BudgetChange } from "#core/budget.ts";
import type { ContentLevel } from "#core/content-log.ts";
import type { Family } from "#core/family.ts";
import type { RateLimits } from "#core/limits.ts";
import type { NanoUsd } from "#core/money.ts";
import { defined } from "#lib/values.ts";
import { wholeChange } from "./documents/budgets.ts";
import { KEYS } from "./documents/key.ts";
import type { Report } from "./mistakes.ts";
import { readDocument } from "./read-document.ts";
import type { Secret } from "./secrets.ts";
import type { FileNode } from "./tree.ts";

/** A key that exists from the start; created once, identified by its name. */
export interface KeyConfig {
  readonly name: string;
  readonly secret: Secret;
  /** Model names that it may use; a trailing `*` matches a prefix. */
  readonly models: readonly string[];
  /** Unlimited if absent. */
  readonly quota?: NanoUsd;
  /** Unix ms. */
  readonly expiresAt?: number;
  /** Networks from which it may be used; any if absent. */
  readonly networks?: readonly string[];
  /** Endpoint families that it may call; all if absent. */
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
  readonly contentLog?: ContentLevel;
  /** Budgets that it does not name stay. */
  readonly budgets?: BudgetChange;
  /** Log-in name of its user; root if absent. */
  readonly user?: string;
  /** Name of the team that its calls are charged to. */
  readonly team?: string;
}

export function readKeys(node: FileNode | undefined, report: Report): readonly KeyConfig[] {
  if (node === undefined || node.kind === "empty") return [];
  const keys = readDocument(KEYS, node, report) ?? [];
  return keys.map((given) => {
    const { name, key, models = ["*"], budgets, ...rest } = given;
    const { expires_at: expiresAt, content_log: contentLog, ...same } = rest;
    const change = budgets && wholeChange(budgets);
    const more = defined({ ...same, expiresAt, contentLog, budgets: change });
    return { name, secret: key, models, ...more };
  });
}

import { isEmail } from "#core/user.ts";
import type { NanoUsd } from "#core/money.ts";
import { fromUnits } from "../amounts.ts";
import type { ImportDraft } from "../draft.ts";
import { freshName, toDisplayName, toUserName } from "../names.ts";
import type { Row } from "../row.ts";
import type { Groups } from "./groups.ts";

const ROLE = { admin: 10, root: 100 } as const;
const STATUS = { enabled: 1, deleted: 3 } as const;

export interface ReadUser {
  readonly group: string;
}

/** Users with their amounts left and spent, by id. */
export function readUsers(
  rows: readonly Row[],
  unitsPerDollar: number,
  groups: Groups,
  draft: ImportDraft,
): ReadonlyMap<number, ReadUser> {
  const found = new Map<number, ReadUser>();
  const taken = new Set<string>();
  const emails = new Set<string>();
  const deleted: string[] = [];
  for (const row of rows) {
    const id = row.number("id") ?? 0;
    const given = row.text("username") ?? `user-${id}`;
    if (row.text("deleted_at") !== undefined || row.number("status") === STATUS.deleted) {
      deleted.push(given);
      continue;
    }
    const changes: string[] = [];
    const name = freshName(toUserName(given, `user-${id}`), taken);
    if (name !== given) changes.push(`The login name ${given} becomes ${name}.`);
    const group = row.text("group") ?? "default";
    const email = readEmail(row, emails, changes);
    draft.users.push({
      ref: String(id),
      name,
      changes,
      ...readFunds(row, unitsPerDollar, changes),
      displayName: toDisplayName(row.text("display_name"), toDisplayName(given, name)),
      email,
      role: roleOf(row, changes),
      isEnabled: row.number("status") === STATUS.enabled,
      group: groups.ref(group),
    });
    found.set(id, { group });
  }
  if (deleted.length > 0) {
    draft.leave(`users ${deleted.join(", ")}`, "They are deleted there, and their keys too.");
  }
  return found;
}

function roleOf(row: Row, changes: string[]): "user" | "admin" {
  const role = row.number("role") ?? 1;
  if (role >= ROLE.root)
    changes.push("Root there becomes an admin: the root user here stays root.");
  return role >= ROLE.admin ? "admin" : "user";
}

function readEmail(row: Row, taken: Set<string>, changes: string[]): string | undefined {
  const email = row.text("email")?.trim().toLowerCase();
  if (email === undefined) return undefined;
  if (!isEmail(email)) {
    changes.push("The e-mail address is not valid, and is left out.");
    return undefined;
  }
  if (taken.has(email)) {
    changes.push("Another user has the same e-mail address, so it is left out.");
    return undefined;
  }
  taken.add(email);
  return email;
}

/** There, a quota is the amount left; here, it includes the amount spent. */
export function totalQuota(
  left: number,
  used: number,
  unitsPerDollar: number,
): { readonly quota?: NanoUsd; readonly spent?: NanoUsd } {
  const spent = fromUnits(used, unitsPerDollar);
  const quota = fromUnits(Math.max(left + used, 0), unitsPerDollar);
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(spent === undefined ? {} : { spent }),
  };
}

function readFunds(row: Row, unitsPerDollar: number, changes: string[]) {
  const used = row.number("used_quota") ?? 0;
  const funds = totalQuota(row.number("quota") ?? 0, used, unitsPerDollar);
  if (funds.quota === undefined) {
    changes.push("The quota is above $9,007,199, the most here, so there is none.");
  }
  return { ...funds, budgets: [] };
}

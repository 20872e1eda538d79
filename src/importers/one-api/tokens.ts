import { isNetwork } from "#lib/networks.ts";
import { fromUnits } from "../amounts.ts";
import type { ImportDraft } from "../draft.ts";
import { sortModels, toDisplayName } from "../names.ts";
import type { Row } from "../row.ts";
import type { Program } from "./channel-types.ts";
import type { Groups } from "./groups.ts";
import { totalQuota, type ReadUser } from "./users.ts";

const STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
const PREFIX = "sk-";
const AUTOMATIC = "auto";
const NEVER = -1;
/** Expired keys without a time of their end. */
const LONG_AGO = 0;

interface TokenTerms {
  readonly program: Program;
  readonly unitsPerDollar: number;
  readonly users: ReadonlyMap<number, ReadUser>;
  readonly groups: Groups;
}

/** Keys, which work as they are, with and without `sk-`. */
export function readTokens(rows: readonly Row[], terms: TokenTerms, draft: ImportDraft): void {
  for (const row of rows) {
    const id = row.number("id") ?? 0;
    const name = toDisplayName(row.text("name")?.trim(), `key ${id}`);
    const subject = `key ${id} (${name})`;
    const userId = row.number("user_id") ?? 0;
    const user = terms.users.get(userId);
    const secret = row.text("key")?.trim();
    if (row.text("deleted_at") !== undefined) {
      draft.leave(subject, "It is deleted there.");
    } else if (user === undefined) {
      draft.leave(subject, "Its user is deleted there, or missing.");
    } else if (secret === undefined || !/^[\x21-\x7e]{1,500}$/.test(secret)) {
      draft.leave(subject, "It has no secret that a client could send.");
    } else {
      const changes: string[] = [];
      const group = groupOf(row, user, terms, changes);
      draft.keys.push({
        ref: String(id),
        name,
        changes,
        user: String(userId),
        group: group === user.group ? undefined : terms.groups.refFor(user.group, group),
        secret: {
          text: secret.startsWith(PREFIX) ? secret : PREFIX + secret,
          isPrefixOptional: true,
        },
        isEnabled: row.number("status") !== STATUS.disabled,
        expiresAt: expiryOf(row),
        models: modelsOf(row, terms.program, changes),
        networks: networksOf(row, changes),
        ...fundsOf(row, terms.unitsPerDollar, changes),
      });
    }
  }
}

/** An expired key stays expired, also without a time. */
function expiryOf(row: Row): number | undefined {
  const seconds = row.number("expired_time") ?? NEVER;
  const isOver = row.number("status") === STATUS.expired;
  if (seconds === NEVER || seconds === 0) return isOver ? LONG_AGO : undefined;
  return seconds * 1_000;
}

/** one-api has the list in `models`; new-api in `model_limits`, with a switch. */
function modelsOf(row: Row, program: Program, changes: string[]): readonly string[] {
  const column = row.has("model_limits") ? "model_limits" : "models";
  const isBound = column === "models" || row.flag("model_limits_enabled");
  const given = isBound ? [...new Set(row.parts(column, /,/))] : [];
  if (given.length === 0) {
    return isBound && column === "model_limits" && program === "new-api" ? [NO_MODEL] : ["*"];
  }
  const { good, bad } = sortModels(given);
  if (bad.length > 0)
    changes.push(`Names of models that cannot exist are left out: ${bad.join(", ")}.`);
  return good.length === 0 ? [NO_MODEL] : good;
}

/** A key of new-api may use no model if its list is switched on and empty. */
const NO_MODEL = "none";

function networksOf(row: Row, changes: string[]): readonly string[] | undefined {
  const given = [...row.parts("allow_ips", /[\n,\s]+/), ...row.parts("subnet", /[,;\s]+/)];
  if (given.length === 0) return undefined;
  const bad = given.filter((each) => !isNetwork(each));
  if (bad.length > 0) changes.push(`Networks that are not valid are left out: ${bad.join(", ")}.`);
  const good = given.filter(isNetwork);
  return good.length === 0 ? [NOWHERE] : [...new Set(good)];
}

/** Reserved for documents: no client has it. */
const NOWHERE = "192.0.2.255";

function fundsOf(row: Row, unitsPerDollar: number, changes: string[]) {
  const used = Math.max(row.number("used_quota") ?? 0, 0);
  if (row.flag("unlimited_quota")) {
    const spent = fromUnits(used, unitsPerDollar) ?? 0;
    if (spent > 0) {
      changes.push("It has no quota, so what it spent there is only in the total of its user.");
    }
    return { budgets: [] };
  }
  const isOver = row.number("status") === STATUS.exhausted;
  const left = row.number("remain_quota") ?? 0;
  return { ...totalQuota(isOver ? Math.min(left, 0) : left, used, unitsPerDollar), budgets: [] };
}

function groupOf(row: Row, user: ReadUser, { groups }: TokenTerms, changes: string[]): string {
  const second = row.text("backup_group")?.trim();
  if (second !== undefined) {
    changes.push(
      `There, calls that its group cannot serve try the group ${second}; here, none do.`,
    );
  }
  const given = row.text("group")?.trim();
  if (given === undefined) return user.group;
  if (given !== AUTOMATIC) return given;
  const own = row.texts("auto_groups");
  const tried = own.length > 0 ? own : groups.automatic;
  const first = tried.find((each) => groups.serves(each)) ?? user.group;
  changes.push(
    `There, it tries the groups ${tried.join(", ")} in this order; here, it has the group ${first}.`,
  );
  return first;
}

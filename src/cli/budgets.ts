import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { cell, listing, moment, table, UsageError, type Noun, type Words } from "./command.ts";
import { readInstant, readNumber } from "./keys.ts";

const PERIODS = ["hour", "day", "week", "month"] as const;
const OWNERS = "key:<id>, user:<id>, team:<id>, member:<team>-<user>, or gateway";

/** Budgets of keys, users, teams, members of teams, and of all callers together. */
export const budgets: Noun = {
  name: "budgets",
  verbs: [
    {
      usage: "show <owner>",
      doc: `shows the budgets of ${OWNERS}, with spent, left and raises`,
      startsWith: /^(?:(?:key|user|team|member):|gateway$)/,
      ask(words) {
        const { path } = readOwner(words.one(OWNERS));
        return { method: "GET", path };
      },
      show: showBudgets,
    },
    {
      usage: "set <owner>",
      doc: "sets amounts in US dollars, or all terms of one budget; 'none' removes a bound",
      options: {
        hour: "<usd|none>",
        day: "<usd|none>",
        week: "<usd|none>",
        month: "<usd|none>",
        period: "<hour|day|week|month>",
        amount: "<usd|none>",
        warn: "<usd|none>",
        "start-day": "<1-28>",
        "time-zone": "<zone>",
        reason: "<text>",
      },
      ask(words) {
        const { path, isUser } = readOwner(words.one(OWNERS));
        const amounts = PERIODS.map((period) => [`budget_${period}_usd`, usdIn(words, period)]);
        const body = defined({
          ...Object.fromEntries(amounts),
          budgets: readTerms(words),
        });
        if (Object.keys(body).length === 0) {
          throw new UsageError("Give --hour, --day, --week, --month, or --period with its terms.");
        }
        const reason = isUser ? { reason: words.text("reason") ?? "command line" } : {};
        return { method: "PUT", path, body: { ...body, ...reason } };
      },
      show: showBudgets,
    },
    {
      usage: "raise <owner>",
      doc: "raises a budget until a time; the raise ends by itself",
      options: {
        period: "<hour|day|week|month>",
        add: "<usd>",
        until: "<date>",
        reason: "<text>",
      },
      ask(words) {
        const { path } = readOwner(words.one(OWNERS));
        const until = readInstant(words.text("until"), "until");
        if (until === undefined) throw new UsageError("Give --until, such as 2030-12-31.");
        const body = defined({
          period: words.text("period"),
          add_usd: words.text("add"),
          until,
          reason: words.text("reason"),
        });
        return { method: "POST", path: `${path}/raise`, body };
      },
      show: showBudgets,
    },
    {
      usage: "end-raise <owner> <raise>",
      doc: "ends a raise before its time",
      ask(words) {
        const [owner, raise] = words.two(`${OWNERS}, and the id of a raise`);
        const { path } = readOwner(owner);
        return { method: "DELETE", path: `${path}/raise/${encodeURIComponent(raise)}` };
      },
      show: showBudgets,
    },
  ],
};

function readTerms(words: Words): readonly JsonObject[] | undefined {
  const period = words.text("period");
  if (period === undefined) return undefined;
  const terms = defined({
    amount_usd: usdIn(words, "amount"),
    warn_usd: usdIn(words, "warn"),
    start_day: words.count("start-day"),
    time_zone: words.text("time-zone"),
  });
  return [{ period, ...terms }];
}

/** Null for `none`. */
function usdIn(words: Words, option: string): string | null | undefined {
  const given = words.text(option);
  return given === "none" ? null : given;
}

interface BudgetOwner {
  /** The route with the owner's budgets. */
  readonly path: string;
  /** Changes of a user's quota need a reason. */
  readonly isUser: boolean;
}

function readOwner(given: string): BudgetOwner {
  const [kind = "", id = ""] = given.split(":");
  switch (kind) {
    case "key":
      return { path: `/api/token/${readNumber(id)}`, isUser: false };
    case "user":
      return { path: `/api/user/${readNumber(id)}/quota`, isUser: true };
    case "team":
      return { path: `/api/team/${readNumber(id)}`, isUser: false };
    case "gateway":
      return { path: "/api/gateway/budget", isUser: false };
    case "member": {
      const [team = "", user = ""] = id.split("-");
      return { path: `/api/team/${readNumber(team)}/member/${readNumber(user)}`, isUser: false };
    }
    default:
      throw new UsageError(`'${given}' is not an owner. Give ${OWNERS}.`);
  }
}

function showBudgets(data: JsonObject): readonly string[] {
  const { quota_usd: quota, used_usd: used } = data;
  const totals = defined({ "quota $": quota, "used $": used });
  return [
    ...(Object.keys(totals).length === 0 ? [] : listing(totals)),
    ...table(
      { items: data["budgets"] ?? [] },
      ["period", "amount $", "warn $", "used $", "left $", "until", "raises"],
      (budget) => [
        budget["period"] ?? null,
        budget["amount_usd"] ?? null,
        budget["warn_usd"] ?? null,
        budget["used_usd"] ?? null,
        budget["left_usd"] ?? null,
        moment(budget["resets_at"]),
        raisesOf(budget),
      ],
    ),
  ];
}

function raisesOf({ raises }: JsonObject): string {
  const all = isArray(raises) ? raises.filter(isObject) : [];
  return all
    .map(({ id, add_usd: added = null, until }) => {
      return `${textOf(id) ?? ""}: +${cell(added)} until ${moment(until)}`;
    })
    .join("; ");
}

import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { listing, moment, type Noun, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";
import { field, listById } from "./list-by-id.ts";
import { quotaVerbs } from "./quota.ts";

const BOUNDS = { quota: "<usd|none>", day: "<usd|none>", month: "<usd|none>" };
const { topUp, history } = quotaVerbs("team", teamPath);

export const teams: Noun = {
  name: "teams",
  verbs: [
    listById("teams", "/api/team", {
      id: field("id"),
      name: field("name"),
      since: (team) => moment(team["created_at"]),
    }),
    {
      usage: "show <id>",
      doc: "shows a team with its quota, its budgets and the amounts spent",
      ask: (words) => ({ method: "GET", path: pathIn(words) }),
      show: listing,
    },
    {
      usage: "create <name>",
      doc: "creates a team with a total quota and with budgets of a day and a month",
      options: BOUNDS,
      ask: (words) => ({
        method: "POST",
        path: "/api/team",
        body: { name: words.one("the name of the new team"), ...readBounds(words) },
      }),
      show: listing,
    },
    {
      usage: "change <id>",
      doc: "changes a team",
      options: { name: "<name>", ...BOUNDS },
      ask: (words) => ({
        method: "PUT",
        path: pathIn(words),
        body: { ...defined({ name: words.text("name") }), ...readBounds(words) },
      }),
      show: listing,
    },
    {
      usage: "delete <id>",
      doc: "deletes a team without members",
      ask: (words) => ({ method: "DELETE", path: pathIn(words) }),
      show: listing,
    },
    {
      usage: "quota <id>",
      doc: "shows a team's quota and budgets",
      ask: (words) => ({ method: "GET", path: `${pathIn(words)}/quota` }),
      show: listing,
    },
    topUp,
    history,
  ],
};

function readBounds(words: Words): JsonObject {
  const [quota_usd, budget_day_usd, budget_month_usd] = ["quota", "day", "month"].map((option) => {
    const given = words.text(option);
    return given === "none" ? null : given;
  });
  return defined({ quota_usd, budget_day_usd, budget_month_usd });
}

function pathIn(words: Words): string {
  return teamPath(words.one("the id of a team"));
}

function teamPath(id: string): string {
  return `/api/team/${readNumber(id)}`;
}

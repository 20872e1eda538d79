import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { cell, listing, table, UsageError, type Noun, type Verb, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";
import { field, listById, SEARCHED } from "./list-by-id.ts";
import { quotaVerbs } from "./quota.ts";

const { topUp, history } = quotaVerbs("team", teamPath);

/** Teams and their members. Budgets are set with `sluice budgets`. */
export const teams: Noun = {
  name: "teams",
  verbs: [
    listById(
      "teams",
      "/api/team",
      {
        id: field("id"),
        name: field("name"),
        "quota $": field("quota_usd"),
        "used $": field("used_usd"),
        "today $": field("used_day_usd"),
        "month $": field("used_month_usd"),
      },
      SEARCHED,
    ),
    {
      usage: "create <name>",
      doc: "creates a team with its members, named by id or user name",
      options: { quota: "<usd>", month: "<usd>", day: "<usd>", owners: "<a,b>", members: "<a,b>" },
      ask: (words) => ({
        method: "POST",
        path: "/api/team",
        body: {
          name: words.one("the name of the new team"),
          ...defined({
            quota_usd: words.text("quota"),
            budget_month_usd: words.text("month"),
            budget_day_usd: words.text("day"),
          }),
          ...withMembers(membersIn(words)),
        },
      }),
      show: (data) => [textOf(data["name"]) ?? "", `id ${cell(data["id"] ?? null)}`],
    },
    {
      usage: "show <id>",
      doc: "shows a team with its quota, its budgets and the amounts spent",
      ask: (words) => ({ method: "GET", path: teamPath(words.one("the id of a team")) }),
      show: listing,
    },
    {
      usage: "change <id>",
      doc: "changes the name or the total quota of a team",
      options: { name: "<name>", quota: "<usd|none>" },
      ask(words) {
        const quota = words.text("quota");
        return {
          method: "PUT",
          path: teamPath(words.one("the id of a team")),
          body: defined({
            name: words.text("name"),
            quota_usd: quota === "none" ? null : quota,
          }),
        };
      },
      show: listing,
    },
    {
      usage: "quota <id>",
      doc: "shows a team's quota and budgets",
      ask: (words) => ({ method: "GET", path: `${teamPath(words.one("the id of a team"))}/quota` }),
      show: listing,
    },
    topUp,
    history,
    {
      usage: "delete <id>",
      doc: "deletes a team without members",
      ask: (words) => ({ method: "DELETE", path: teamPath(words.one("the id of a team")) }),
      show: listing,
    },
    {
      usage: "members <id>",
      doc: "lists the members of a team with their budgets and spending",
      options: { after: "<id>", search: "<text>" },
      ask: (words) => ({
        method: "GET",
        path: `${teamPath(words.one("the id of a team"))}/member?${pageOf(words)}`,
      }),
      show: showMembers,
    },
    {
      usage: "add <id>",
      doc: "adds users to a team, or changes roles; --move takes them out of other teams",
      options: { owners: "<a,b>", members: "<a,b>", move: undefined },
      ask(words) {
        const path = `${teamPath(words.one("the id of a team"))}/member`;
        const members = membersIn(words);
        if (members.length === 0) throw new UsageError("Give --members or --owners.");
        return { method: "POST", path, body: { members, move: words.has("move") } };
      },
      show: showMembers,
    },
    remove(),
  ],
};

function remove(): Verb {
  return {
    usage: "remove <id>",
    doc: "removes users from a team; their accounts stay",
    options: { users: "<id,...>" },
    ask(words) {
      const path = `${teamPath(words.one("the id of a team"))}/member/batch`;
      const ids = words.list("users");
      if (ids === undefined) throw new UsageError("Give --users.");
      return { method: "POST", path, body: { user_ids: ids.map(readNumber) } };
    },
    show: listing,
  };
}

function showMembers(data: JsonObject): readonly string[] {
  return table(data, ["id", "name", "role", "today $", "month $"], (member) => [
    member["user_id"] ?? null,
    member["username"] ?? null,
    member["role"] ?? null,
    member["used_day_usd"] ?? null,
    member["used_month_usd"] ?? null,
  ]);
}

function withMembers(members: readonly JsonObject[]): JsonObject {
  return members.length === 0 ? {} : { members };
}

/** A word of digits is an id. */
function membersIn(words: Words): readonly JsonObject[] {
  const read = (option: "owners" | "members", role: string): readonly JsonObject[] =>
    (words.list(option) ?? []).map((each) => {
      return /^\d+$/.test(each) ? { user_id: readNumber(each), role } : { username: each, role };
    });
  return [...read("owners", "owner"), ...read("members", "member")];
}

function pageOf(words: Words): string {
  const search = words.text("search");
  const page = defined({ after: String(words.count("after") ?? 0), q: search });
  return new URLSearchParams(page).toString();
}

function teamPath(id: string): string {
  return `/api/team/${readNumber(id)}`;
}

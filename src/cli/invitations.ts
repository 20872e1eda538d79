import { defined, memberOf } from "#lib/values.ts";
import { cell, moment, table, UsageError, type Noun } from "./command.ts";
import { BUDGET_OPTIONS, readBudgetOptions } from "./budget-options.ts";
import { readNumber } from "./keys.ts";

const DAY_S = 86_400;

export const invitations: Noun = {
  name: "invitations",
  verbs: [
    {
      usage: "list",
      doc: "lists invitations by id, 100 per page",
      options: { after: "<id>" },
      ask(words) {
        words.none();
        const after = words.count("after") ?? 0;
        return { method: "GET", path: `/api/invitation?page_size=100&after=${after}` };
      },
      show: (data) =>
        table(
          data,
          ["id", "state", "role", "team", "address", "uses", "of", "by", "ends"],
          (each) => [
            each["id"] ?? null,
            each["state"] ?? null,
            each["role"] ?? null,
            each["team"] ?? null,
            each["email"] ?? null,
            each["uses"] ?? null,
            each["max_uses"] ?? null,
            each["created_by_name"] ?? null,
            moment(each["expires_at"]),
          ],
        ),
    },
    {
      usage: "create",
      doc: "invites new users; mails the link to --email if mail is configured, or prints it",
      options: {
        email: "<address>",
        role: "<role>",
        team: "<id>",
        owner: undefined,
        group: "<id>",
        quota: "<usd>",
        ...BUDGET_OPTIONS,
        uses: "<number>",
        days: "<number>",
        note: "<text>",
      },
      ask(words) {
        words.none();
        const days = words.count("days");
        if (days !== undefined && (days < 1 || days > 90)) {
          throw new UsageError("--days takes a number from 1 to 90.");
        }
        const body = defined({
          email: words.text("email"),
          role: words.text("role"),
          team_id: words.count("team"),
          team_role: words.has("owner") ? "owner" : undefined,
          group_id: words.count("group"),
          quota_usd: words.text("quota"),
          ...readBudgetOptions(words),
          max_uses: words.count("uses"),
          expires_in_seconds: days === undefined ? undefined : days * DAY_S,
          note: words.text("note"),
        });
        return { method: "POST", path: "/api/invitation", body };
      },
      show: (data) => {
        const id = cell(memberOf(data["invitation"], "id") ?? null);
        if (data["is_mailed"] === true) return [`invitation ${id} was mailed`];
        return [`invitation ${id}; not shown again:`, cell(data["link"] ?? data["token"] ?? null)];
      },
    },
    {
      usage: "revoke <id>",
      doc: "ends an invitation; users who accepted it stay",
      ask: (words) => ({
        method: "DELETE",
        path: `/api/invitation/${readNumber(words.one("the id of an invitation"))}`,
      }),
      show: () => ["revoked"],
    },
  ],
};

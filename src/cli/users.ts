import { defined } from "#lib/values.ts";
import { listing, moment, statusWord, table, type Noun, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";
import { field, listById, SEARCHED } from "./list-by-id.ts";
import { quotaVerbs } from "./quota.ts";
import { USER_KEYS } from "./user-keys.ts";

const { topUp, history } = quotaVerbs("user", (id) => `/api/user/${readNumber(id)}`);

export const users: Noun = {
  name: "users",
  verbs: [
    listById(
      "users",
      "/api/user",
      {
        id: field("id"),
        name: field("username"),
        address: field("email"),
        role: field("role"),
        status: (user) => statusWord(user["status"]),
        since: (user) => moment(user["created_at"]),
      },
      {
        ...SEARCHED,
        role: { param: "role", value: "<role>" },
        status: { param: "status", value: "<enabled|disabled>" },
        group: { param: "group", value: "<id>" },
        team: { param: "team", value: "<id>" },
      },
    ),
    {
      usage: "show <id>",
      doc: "shows a user with the quota, the budgets and the amounts spent",
      ask: (words) => ({ method: "GET", path: userPath(words) }),
      show: listing,
    },
    {
      usage: "create <name>",
      doc: "creates a user; the password is read from standard input",
      options: { email: "<address>", role: "<role>", quota: "<usd>", "password-stdin": undefined },
      async ask(words) {
        const username = words.one("the name of the new user");
        const password = words.has("password-stdin")
          ? await words.secret("the password")
          : undefined;
        const [email, role, quota_usd] = ["email", "role", "quota"].map((each) => words.text(each));
        return {
          method: "POST",
          path: "/api/user",
          body: { username, ...defined({ email, role, quota_usd, password }) },
        };
      },
      show: listing,
    },
    change("enable <id>", "enables a user", () => ({ status: 1 })),
    change("disable <id>", "ends a user's sessions and refuses the user's keys", () => ({
      status: 2,
    })),
    change(
      "change <id>",
      "changes the mail address, the displayed name or the group of a user",
      (words) =>
        defined({
          email: textOrNull(words.text("email")),
          display_name: words.text("name"),
          group_id: numberOrNull(words.text("group")),
        }),
      { email: "<address|none>", name: "<name>", group: "<id|none>" },
    ),
    change("role <id>", "changes a user's role", (words) => defined({ role: words.text("to") }), {
      to: "<role>",
    }),
    {
      usage: "quota <id>",
      doc: "sets a user's total quota, or shows it without options",
      options: { set: "<usd|none>", reason: "<text>" },
      ask(words) {
        const path = `${userPath(words)}/quota`;
        const set = words.text("set");
        if (set === undefined) return { method: "GET", path };
        const body = {
          quota_usd: set === "none" ? null : set,
          reason: words.text("reason") ?? "command line",
        };
        return { method: "PUT", path, body };
      },
      show: listing,
    },
    topUp,
    history,
    {
      usage: "open-calls <id>",
      doc: "counts the calls and video tasks of a user that run now",
      ask: (words) => ({ method: "GET", path: `${userPath(words)}/open-calls` }),
      show: listing,
    },
    {
      usage: "sessions <id>",
      doc: "lists the sessions of a user, the most recently used first",
      ask: (words) => ({ method: "GET", path: `${userPath(words)}/sessions` }),
      show: (data) =>
        table(data, ["id", "begun", "used", "network", "browser"], (each) => [
          each["id"] ?? null,
          moment(each["created_at"]),
          moment(each["seen_at"]),
          each["network"] ?? null,
          each["user_agent"] ?? null,
        ]),
    },
    {
      usage: "end-session <id> <session>",
      doc: "ends one session of a user",
      ask(words) {
        const [id, session] = words.two("the id of a user and the id of a session");
        const path = `/api/user/${readNumber(id)}/sessions/${encodeURIComponent(session)}`;
        return { method: "DELETE", path };
      },
      show: listing,
    },
    {
      usage: "end-sessions <id>",
      doc: "ends all sessions of a user",
      ask: (words) => ({ method: "POST", path: `${userPath(words)}/end-sessions` }),
      show: listing,
    },
    {
      usage: "delete <id>",
      doc: "deletes a user, ends all sessions and deletes all keys",
      ask: (words) => ({ method: "DELETE", path: userPath(words) }),
      show: listing,
    },
    ...USER_KEYS,
  ],
};

function change(
  usage: string,
  doc: string,
  read: (words: Words) => Readonly<Record<string, string | number | null | undefined>>,
  options: Readonly<Record<string, string>> = {},
): Noun["verbs"][number] {
  return {
    usage,
    doc,
    options,
    ask: (words) => ({ method: "PUT", path: userPath(words), body: read(words) }),
    show: listing,
  };
}

function textOrNull(given: string | undefined): string | null | undefined {
  return given === "none" ? null : given;
}

function numberOrNull(given: string | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  return given === "none" ? null : readNumber(given);
}

function userPath(words: Words): string {
  return `/api/user/${readNumber(words.one("the id of a user"))}`;
}

import { defined } from "#lib/values.ts";
import { listing, moment, statusWord, UsageError, type Noun, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";
import { field, listById } from "./list-by-id.ts";

const PATH = "/api/service-account";

/** Users without a login, owned by a team. Their keys and tokens have `--user`. */
export const serviceAccounts: Noun = {
  name: "service-accounts",
  verbs: [
    listById(
      "service accounts",
      PATH,
      {
        id: field("id"),
        name: field("username"),
        team: field("team_name"),
        role: field("role"),
        status: (account) => statusWord(account["status"]),
        since: (account) => moment(account["created_at"]),
      },
      { team: { param: "team", value: "<id>" } },
    ),
    {
      usage: "create <name>",
      doc: "creates a service account, in your own team if none is named",
      options: { team: "<id>", role: "<role>", group: "<id>", quota: "<usd>" },
      ask: (words) => ({
        method: "POST",
        path: PATH,
        body: {
          username: words.one("the name of the new service account"),
          ...defined({
            team_id: words.count("team"),
            role: words.text("role"),
            group_id: words.count("group"),
            quota_usd: words.text("quota"),
          }),
        },
      }),
      show: listing,
    },
    switching("enable", 1),
    switching("disable", 2),
    {
      usage: "move <id>",
      doc: "gives a service account to another team",
      options: { team: "<id>" },
      ask(words) {
        const team_id = words.count("team");
        if (team_id === undefined) throw new UsageError("--team takes the id of a team.");
        return { method: "PUT", path: accountPath(words), body: { team_id } };
      },
      show: listing,
    },
    {
      usage: "delete <id>",
      doc: "deletes a service account with its keys and access tokens",
      ask: (words) => ({ method: "DELETE", path: accountPath(words) }),
      show: listing,
    },
  ],
};

function switching(word: "enable" | "disable", status: number): Noun["verbs"][number] {
  return {
    usage: `${word} <id>`,
    doc: `${word}s a service account`,
    ask: (words) => ({ method: "PUT", path: accountPath(words), body: { status } }),
    show: listing,
  };
}

function accountPath(words: Words): string {
  return `${PATH}/${readNumber(words.one("the id of a service account"))}`;
}

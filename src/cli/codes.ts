import { defined, listOf, memberOf } from "#lib/values.ts";
import { cell, moment, table, UsageError, type Noun, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";

const DAY_S = 86_400;

export const codes: Noun = {
  name: "codes",
  verbs: [
    {
      usage: "list",
      doc: "lists batches of redemption codes by id, 100 per page",
      options: { after: "<id>" },
      ask(words) {
        words.none();
        const after = words.count("after") ?? 0;
        return { method: "GET", path: `/api/code-batch?page_size=100&after=${after}` };
      },
      show: (data) =>
        table(data, ["id", "state", "value $", "redeemed", "of", "by", "ends", "note"], (batch) => [
          batch["id"] ?? null,
          batch["state"] ?? null,
          batch["value_usd"] ?? null,
          batch["redeemed"] ?? null,
          batch["count"] ?? null,
          batch["created_by_name"] ?? null,
          moment(batch["expires_at"]),
          batch["note"] ?? null,
        ]),
    },
    {
      usage: "create <count>",
      doc: "creates redemption codes and prints them once, as CSV",
      options: { value: "<usd>", days: "<number>", note: "<text>" },
      ask(words) {
        const count = readNumber(words.one("the number of codes"));
        const value_usd = words.text("value");
        if (value_usd === undefined) throw new UsageError("Give the value of a code with --value.");
        const days = words.count("days");
        const expires_in_seconds = days === undefined ? undefined : days * DAY_S;
        return {
          method: "POST",
          path: "/api/code-batch",
          body: { count, value_usd, ...defined({ note: words.text("note"), expires_in_seconds }) },
        };
      },
      show(data) {
        const { batch = null } = data;
        const rest = ["value_usd", "expires_at", "id"].map((name) => memberOf(batch, name) ?? null);
        const end = rest.map((each) => (each === null ? "" : cell(each))).join(",");
        const lines = listOf(data["codes"]).map((code) => `${cell(code)},${end}`);
        return ["code,value_usd,expires_at,batch", ...lines];
      },
    },
    {
      usage: "show <id>",
      doc: "lists the codes of a batch, and the users who redeemed them",
      options: { after: "<id>", state: "<redeemed|unused>" },
      ask(words) {
        const query = new URLSearchParams({ page_size: "100" });
        query.set("after", String(words.count("after") ?? 0));
        const state = words.text("state");
        if (state !== undefined) query.set("state", state);
        return { method: "GET", path: `${batchPath(words)}?${query.toString()}` };
      },
      show: (data) =>
        table(data, ["id", "redeemed by", "at"], (code) => [
          code["id"] ?? null,
          code["redeemed_by_name"] ?? null,
          moment(code["redeemed_at"]),
        ]),
    },
    {
      usage: "revoke <id>",
      doc: "ends the unused codes of a batch",
      ask: (words) => ({ method: "DELETE", path: batchPath(words) }),
      show: () => ["revoked"],
    },
    {
      usage: "redeem",
      doc: "raises your own quota with a code from standard input",
      async ask(words) {
        words.none();
        const code = await words.secret("the code");
        return { method: "POST", path: "/api/user/self/quota/redeem", body: { code } };
      },
      show: (data) => [
        `added $${cell(data["added_usd"] ?? null)}; left $${cell(data["left_usd"] ?? null)}`,
      ],
    },
  ],
};

function batchPath(words: Words): string {
  return `/api/code-batch/${readNumber(words.one("the id of a batch"))}`;
}

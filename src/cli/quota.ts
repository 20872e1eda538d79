import { defined } from "#lib/values.ts";
import { listing, moment, table, type Verb, type Words } from "./command.ts";

/** Verbs for the quota of one user or team, whose path `pathOf` makes. */
export function quotaVerbs(
  what: "user" | "team",
  pathOf: (id: string) => string,
): Readonly<Record<"topUp" | "history", Verb>> {
  return {
    topUp: {
      usage: "top-up <id> <usd>",
      doc: `raises a ${what}'s quota by an amount, or lowers it by a negative one (-- -5); the same --operation has an effect once`,
      options: { reason: "<text>", operation: "<id>" },
      ask(words) {
        const [id, add_usd] = words.two(`the id of a ${what} and an amount`);
        const body = {
          add_usd,
          note: words.text("reason") ?? "command line",
          ...defined({ operation: words.text("operation") }),
        };
        return { method: "POST", path: `${pathOf(id)}/quota`, body };
      },
      show: listing,
    },
    history: {
      usage: "history <id>",
      doc: `lists the changes of a ${what}'s quota, the latest first`,
      options: { before: "<id>" },
      ask: (words) => ({
        method: "GET",
        path: `${pathOf(words.one(`the id of a ${what}`))}/quota/history${beforeIn(words)}`,
      }),
      show: (data) =>
        table(data, ["id", "at", "change $", "of", "note"], (grant) => [
          grant["id"] ?? null,
          moment(grant["at"]),
          grant["change_usd"] ?? null,
          grant["bound"] ?? null,
          grant["note"] ?? null,
        ]),
    },
  };
}

function beforeIn(words: Words): string {
  const before = words.text("before");
  return before === undefined ? "" : `?before=${encodeURIComponent(before)}`;
}

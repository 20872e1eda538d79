import { BUDGET_OPTIONS, readBudgetOptions } from "./budget-options.ts";
import { instant } from "#config/documents/key.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import {
  listing,
  moment,
  statusWord,
  table,
  UsageError,
  type Noun,
  type Words,
} from "./command.ts";

const OF_USER = { user: "<id>" };

const BOUNDS = {
  models: "<a,b*>",
  quota: "<usd>",
  expires: "<date>",
  ...BUDGET_OPTIONS,
  networks: "<cidr,...>",
  endpoints: "<family,...>",
  rpm: "<n>",
  tpm: "<n>",
  concurrency: "<n>",
  ...OF_USER,
};

/**
 * API keys of the user who runs the command, which is root if no gateway runs, or of another user.
 */
export const keys: Noun = {
  name: "keys",
  verbs: [
    {
      usage: "list",
      doc: "lists your API keys, or those of another user, newest first, 100 per page",
      options: { page: "<n>", ...OF_USER },
      ask(words) {
        words.none();
        return {
          method: "GET",
          path: `${keysPath(words)}?page_size=100&p=${words.count("page") ?? 1}`,
        };
      },
      show: (data) =>
        table(
          data,
          ["id", "name", "key", "status", "models", "used $", "quota $", "expires"],
          (key) => [
            key["id"] ?? null,
            key["name"] ?? null,
            `...${textOf(key["last4"]) ?? ""}`,
            statusWord(key["status"]),
            key["models"] ?? null,
            key["used_usd"] ?? null,
            key["quota_usd"] ?? null,
            moment(key["expires_at"]),
          ],
        ),
    },
    {
      usage: "create <name>",
      doc: "creates a key and shows it once",
      options: BOUNDS,
      ask: (words) => ({
        method: "POST",
        path: keysPath(words),
        body: { name: words.one("the name of the new key"), ...readBounds(words) },
      }),
      show: (data) => [textOf(data["key"]) ?? ""],
    },
    {
      usage: "change <id>",
      doc: "changes a key",
      options: BOUNDS,
      ask: (words) => ({ method: "PUT", path: keyPath(words), body: readBounds(words) }),
      show: listing,
    },
    {
      usage: "content-log <id> <off|errors|all|inherit>",
      doc: "sets which calls of any user's key leave their prompts and answers in the content log",
      ask(words) {
        const [id, level] = words.two("the id of the key, and off, errors, all or inherit");
        return {
          method: "PUT",
          path: `/api/token/${readNumber(id)}/content_log`,
          body: { content_log: level === "inherit" ? null : level },
        };
      },
      show: listing,
    },
    switching("enable", 1),
    switching("disable", 2),
    {
      usage: "rotate <id>",
      doc: "gives a key a new secret and shows it once; the old one works a day, or for --overlap",
      options: { overlap: "<seconds>" },
      ask: (words) => ({
        method: "POST",
        path: `/api/key/${readNumber(words.one("the id of a key"))}/rotate`,
        body: defined({ overlap_s: words.count("overlap") }),
      }),
      show: (data) => [textOf(data["key"]) ?? ""],
    },
    {
      usage: "end-old <id>",
      doc: "ends the old secret of a rotated key at once",
      ask: (words) => ({
        method: "DELETE",
        path: `/api/key/${readNumber(words.one("the id of a key"))}/old-secret`,
      }),
      show: listing,
    },
    {
      usage: "delete <id>...",
      doc: "deletes keys permanently and ends their running calls; with --user one at a time",
      options: OF_USER,
      ask(words) {
        if (words.text("user") !== undefined) return { method: "DELETE", path: keyPath(words) };
        const ids = words.some("the ids of the keys").map(readNumber);
        return { method: "POST", path: "/api/token/batch", body: { ids } };
      },
      show: listing,
    },
  ],
};

function switching(word: "enable" | "disable", status: number): Noun["verbs"][number] {
  return {
    usage: `${word} <id>`,
    doc: `${word}s a key`,
    options: OF_USER,
    ask: (words) => ({ method: "PUT", path: keyPath(words), body: { status } }),
    show: listing,
  };
}

function readBounds(words: Words): JsonObject {
  return defined({
    models: words.list("models"),
    quota_usd: words.text("quota"),
    expires_at: readInstant(words.text("expires"), "expires"),
    ...readBudgetOptions(words),
    ip_ranges: words.list("networks"),
    endpoints: words.list("endpoints"),
    rpm: words.count("rpm"),
    tpm: words.count("tpm"),
    concurrency: words.count("concurrency"),
  });
}

/** Unix seconds. */
export function readInstant(given: string | undefined, option: string): number | undefined {
  if (given === undefined) return undefined;
  const ms = instant.parse(given);
  if (ms !== undefined) return Math.floor(ms / 1_000);
  throw new UsageError(`--${option} takes a date, such as 2030-12-31 or 2030-12-31T08:00:00Z.`);
}

function keyPath(words: Words): string {
  return `${keysPath(words)}/${readNumber(words.one("the id of a key"))}`;
}

function keysPath(words: Words): string {
  const user = words.text("user");
  return user === undefined ? "/api/token" : `/api/user/${readNumber(user)}/token`;
}

export function readNumber(given: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`'${given}' is not an id.`);
}

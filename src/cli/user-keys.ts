import type { Json } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { listing, moment, statusWord, table, type Verb, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";

const BOTH = "the id of a user and that of a key";

/** Verbs for the keys and the second factor of another user. */
export const USER_KEYS: readonly Verb[] = [
  {
    usage: "keys <id>",
    doc: "lists a user's keys, newest first, 100 per page",
    options: { page: "<n>" },
    ask: (words) => ({
      method: "GET",
      path: `/api/user/${idIn(words)}/token?page_size=100&p=${words.count("page") ?? 1}`,
    }),
    show: (data) =>
      table(data, ["id", "name", "key", "status", "used $", "quota $", "expires"], (key) => [
        key["id"] ?? null,
        key["name"] ?? null,
        lastOf(key["last4"]),
        statusWord(key["status"]),
        key["used_usd"] ?? null,
        key["quota_usd"] ?? null,
        moment(key["expires_at"]),
      ]),
  },
  switching("enable", 1),
  switching("disable", 2),
  {
    usage: "delete-key <id> <key>",
    doc: "deletes a key of a user permanently and ends its running calls",
    ask: (words) => ({ method: "DELETE", path: keyPath(words) }),
    show: listing,
  },
  {
    usage: "reset-second-factor <id>",
    doc: "removes a user's second factor, so that the password is enough",
    ask: (words) => ({ method: "DELETE", path: `/api/user/${idIn(words)}/second-factor` }),
    show: listing,
  },
];

function switching(word: "enable" | "disable", status: number): Verb {
  return {
    usage: `${word}-key <id> <key>`,
    doc: `${word}s a key of a user`,
    ask: (words) => ({ method: "PUT", path: keyPath(words), body: { status } }),
    show: listing,
  };
}

function keyPath(words: Words): string {
  const [user, key] = words.two(BOTH);
  return `/api/user/${readNumber(user)}/token/${readNumber(key)}`;
}

function idIn(words: Words): number {
  return readNumber(words.one("the id of a user"));
}

function lastOf(last4: Json | undefined): string {
  return `...${textOf(last4) ?? ""}`;
}

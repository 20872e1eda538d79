import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { listing, moment, table, UsageError, type Noun, type Words } from "./command.ts";
import { readInstant, readNumber } from "./keys.ts";

const OF_USER = { user: "<id>" };

/** Access tokens to the management API. */
export const tokens: Noun = {
  name: "tokens",
  verbs: [
    {
      usage: "list",
      doc: "lists your access tokens, or those of another user, newest first",
      options: OF_USER,
      ask(words) {
        words.none();
        return { method: "GET", path: tokensPath(words) };
      },
      show: (data) =>
        table(data, ["id", "name", "token", "scopes", "created", "used", "expires"], (token) => [
          token["id"] ?? null,
          token["name"] ?? null,
          `...${textOf(token["last4"]) ?? ""}`,
          token["scopes"] ?? "all",
          moment(token["created_at"]),
          moment(token["used_at"]),
          moment(token["expires_at"]),
        ]),
    },
    {
      usage: "create <name>",
      doc: "creates an access token and shows it once",
      options: { scopes: "<a,b|all>", expires: "<date>", ...OF_USER },
      ask: (words) => ({
        method: "POST",
        path: tokensPath(words),
        body: { name: words.one("the name of the new token"), ...readRights(words) },
      }),
      show: (data) => [textOf(data["token"]) ?? ""],
    },
    {
      usage: "rename <id> <name>",
      doc: "renames an access token; its scopes and its end stay",
      options: OF_USER,
      ask(words) {
        const [id, name] = words.two("the id of an access token and its new name");
        return { method: "PUT", path: `${tokensPath(words)}/${readNumber(id)}`, body: { name } };
      },
      show: listing,
    },
    {
      usage: "revoke <id>",
      doc: "revokes an access token",
      options: OF_USER,
      ask: (words) => ({
        method: "DELETE",
        path: `${tokensPath(words)}/${readNumber(words.one("the id of an access token"))}`,
      }),
      show: listing,
    },
    {
      usage: "scopes",
      doc: "lists the scopes that you may give to a new access token",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/user/self/access-token" };
      },
      show: (data) =>
        table({ items: data["grantable"] ?? null }, ["scope", "opens"], (each) => [
          each["scope"] ?? null,
          each["description"] ?? null,
        ]),
    },
  ],
};

function tokensPath(words: Words): string {
  const user = words.text("user");
  return `/api/user/${user === undefined ? "self" : readNumber(user)}/access-token`;
}

function readRights(words: Words): JsonObject {
  const scopes = words.list("scopes");
  if (scopes === undefined) {
    throw new UsageError(
      "--scopes takes scopes separated by commas, or 'all'. See 'tokens scopes'.",
    );
  }
  return {
    scopes: scopes.length === 1 && scopes[0] === "all" ? null : scopes,
    ...defined({ expires_at: readInstant(words.text("expires"), "expires") }),
  };
}

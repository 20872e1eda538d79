import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { listing, type Noun, type Words } from "./command.ts";
import { readNumber } from "./keys.ts";
import { field, listById } from "./list-by-id.ts";

const FIELDS = {
  models: "<a,b*>",
  channels: "<a,b>",
  factor: "<n>",
  rpm: "<n>",
  tpm: "<n>",
  concurrency: "<n>",
  set: "<json|@file>",
};

/** Groups of users with common models, channels, prices and limits. */
export const groups: Noun = {
  name: "groups",
  verbs: [
    listById("groups", "/api/group", {
      id: field("id"),
      name: field("name"),
      models: field("models"),
      channels: field("channels"),
      "price factor": field("price_factor"),
      rpm: field("rpm"),
    }),
    {
      usage: "show <id>",
      doc: "shows a group",
      ask: (words) => ({ method: "GET", path: pathIn(words) }),
      show: listing,
    },
    {
      usage: "create <name>",
      doc: "creates a group; --set gives further fields of the API as JSON, such as prices",
      options: FIELDS,
      ask: async (words) => ({
        method: "POST",
        path: "/api/group",
        body: { name: words.one("the name of the new group"), ...(await readFields(words)) },
      }),
      show: listing,
    },
    {
      usage: "change <id>",
      doc: "changes the given fields of a group",
      options: { name: "<name>", ...FIELDS },
      ask: async (words) => ({
        method: "PUT",
        path: pathIn(words),
        body: { ...defined({ name: words.text("name") }), ...(await readFields(words)) },
      }),
      show: listing,
    },
    {
      usage: "delete <id>",
      doc: "deletes a group without users",
      ask: (words) => ({ method: "DELETE", path: pathIn(words) }),
      show: listing,
    },
  ],
};

async function readFields(words: Words): Promise<JsonObject> {
  return {
    ...defined({
      models: words.list("models"),
      channels: words.list("channels"),
      price_factor: words.text("factor"),
      rpm: words.count("rpm"),
      tpm: words.count("tpm"),
      concurrency: words.count("concurrency"),
    }),
    ...(await words.object("set")),
  };
}

function pathIn(words: Words): string {
  return `/api/group/${readNumber(words.one("the id of a group"))}`;
}

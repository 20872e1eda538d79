import type { Json, JsonObject } from "#lib/json.ts";
import { moment, table, type Noun, type Verb } from "./command.ts";
import { field } from "./list-by-id.ts";

/** Options that are parameters of the API, by the option's name. */
const FILTERS = {
  user: "user",
  state: "state",
  type: "type",
  group: "group",
  name: "name",
  page: "p",
} as const;

/** Assets of all users, and verifications of persons. */
export const assets: Noun = {
  name: "assets",
  verbs: [
    {
      usage: "list",
      doc: "lists assets of all users, the latest first",
      options: {
        user: "<id>",
        state: "<pending|active|failed>",
        type: "<image|video|audio>",
        group: "<id>",
        name: "<text>",
        page: "<number>",
      },
      ...listOf("/api/asset", {
        id: field("id"),
        state: field("state"),
        created: (asset) => moment(asset["created_at"]),
        type: field("type"),
        name: field("name"),
        user: userOf,
        channel: (asset) => asset["channel"] ?? "gateway",
        bytes: field("size_bytes"),
      }),
    },
    {
      usage: "verifications",
      doc: "lists verifications of persons of all users, the latest first",
      options: { user: "<id>", page: "<number>" },
      ...listOf("/api/asset/verification", {
        id: field("id"),
        state: field("state"),
        begun: (session) => moment(session["created_at"]),
        ends: (session) => moment(session["ends_at"]),
        user: userOf,
        channel: field("channel"),
        group: field("group_id"),
      }),
    },
  ],
};

function userOf(item: JsonObject): Json {
  return item["user_name"] ?? item["user_id"] ?? null;
}

function listOf(
  path: string,
  columns: Readonly<Record<string, (item: JsonObject) => Json>>,
): Pick<Verb, "ask" | "show"> {
  return {
    ask(words) {
      words.none();
      const query = new URLSearchParams({ page_size: "100" });
      for (const [option, name] of Object.entries(FILTERS)) {
        const value = words.text(option);
        if (value !== undefined) query.set(name, value);
      }
      return { method: "GET", path: `${path}?${query.toString()}` };
    },
    show: (data) =>
      table(data, Object.keys(columns), (item) =>
        Object.values(columns).map((valueIn) => valueIn(item)),
      ),
  };
}

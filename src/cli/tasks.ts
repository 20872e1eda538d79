import { memberOf } from "#lib/values.ts";
import { moment, table, type Noun } from "./command.ts";

/** Options that are parameters of the API, by the option's name. */
const FILTERS = {
  state: "state",
  model: "model",
  user: "user",
  before: "before",
  limit: "page_size",
} as const;

export const tasks: Noun = {
  name: "tasks",
  verbs: [
    {
      usage: "list",
      doc: "lists video tasks of all users, the latest first",
      options: {
        state: "<state>",
        model: "<name>",
        user: "<id>",
        before: "<id>",
        limit: "<number>",
      },
      ask(words) {
        words.none();
        const query = new URLSearchParams({ page_size: "50" });
        for (const [option, name] of Object.entries(FILTERS)) {
          const value = words.text(option);
          if (value !== undefined) query.set(name, value);
        }
        return { method: "GET", path: `/api/task?${query.toString()}` };
      },
      show: (data) =>
        table(
          data,
          ["id", "state", "created", "model", "channel", "user", "%", "usd", "error"],
          (each) => [
            each["id"] ?? null,
            each["state"] ?? null,
            moment(each["created_at"]),
            each["model"] ?? null,
            each["channel"] ?? null,
            each["user_name"] ?? each["user_id"] ?? null,
            each["progress"] ?? null,
            each["cost_usd"] ?? null,
            memberOf(each["error"], "code") ?? null,
          ],
        ),
    },
  ],
};

import { listing, moment, table, type Noun } from "./command.ts";

/** Webhook deliveries to clients, of the user who runs the command or, for an admin, of all users. */
export const webhooks: Noun = {
  name: "webhooks",
  verbs: [
    {
      usage: "list",
      doc: "lists webhook deliveries, the latest first; --state: pending, delivered or dead",
      options: { state: "<state>", before: "<id>" },
      ask(words) {
        words.none();
        const query = new URLSearchParams();
        for (const name of ["state", "before"]) {
          const given = words.text(name);
          if (given !== undefined) query.set(name, given);
        }
        return { method: "GET", path: `/api/notice?${query.toString()}` };
      },
      show: (data) =>
        table(data, ["id", "task", "state", "attempts", "created", "last error"], (delivery) => [
          delivery["id"] ?? null,
          delivery["task_id"] ?? null,
          delivery["state"] ?? null,
          delivery["attempts"] ?? null,
          moment(delivery["created_at"]),
          delivery["last_error"] ?? null,
        ]),
    },
    {
      usage: "replay <id>",
      doc: "sends a webhook delivery again, in any state",
      ask: (words) => ({
        method: "POST",
        path: `/api/notice/${encodeURIComponent(words.one("the id of a delivery"))}/replay`,
      }),
      show: listing,
    },
    {
      usage: "secret",
      doc: "shows the secret that signs your webhooks; --rotate: creates a new one",
      options: { rotate: undefined },
      ask(words) {
        words.none();
        return {
          method: words.has("rotate") ? "POST" : "GET",
          path: "/api/user/notice-secret",
        };
      },
      show: listing,
    },
  ],
};

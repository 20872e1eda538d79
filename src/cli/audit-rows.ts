import { listing, moment, table, type Noun } from "./command.ts";

const FILTERS = {
  actor: "<id>",
  action: "<text>",
  since: "<date>",
  until: "<date>",
  before: "<seq>",
};

/** Rows of the audit log, through the API; `sluice audit verify` reads the database itself. */
export const auditRows: Noun = {
  name: "audit",
  verbs: [
    {
      usage: "list",
      doc: "lists rows of the audit log, the latest first; --action: a method and path, such as 'PUT /api/user/:id'",
      options: FILTERS,
      ask(words) {
        words.none();
        const query = new URLSearchParams({ page_size: "50" });
        for (const name of Object.keys(FILTERS)) {
          const given = words.text(name);
          if (given !== undefined) query.set(name, given);
        }
        return { method: "GET", path: `/api/audit?${query.toString()}` };
      },
      show: (data) =>
        table(data, ["seq", "at", "actor", "action", "object", "outcome", "address"], (row) => [
          row["seq"] ?? null,
          moment(row["created_at"]),
          row["actor"] ?? null,
          row["action"] ?? null,
          row["object"] ?? null,
          row["outcome"] ?? null,
          row["address"] ?? null,
        ]),
    },
    {
      usage: "head",
      doc: "shows number and digest of the latest row, for 'sluice audit verify --anchor'",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/audit/head" };
      },
      show: listing,
    },
  ],
};

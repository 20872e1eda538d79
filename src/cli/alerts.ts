import type { JsonObject } from "#lib/json.ts";
import { defined, flagOf, memberOf } from "#lib/values.ts";
import {
  cell,
  listing,
  moment,
  statusWord,
  table,
  UsageError,
  type Noun,
  type Prompt,
  type Words,
} from "./command.ts";

/** Open alerts, their rules and destinations. */
export const alerts: Noun = {
  name: "alerts",
  verbs: [
    {
      usage: "list",
      doc: "lists open alerts, ended ones, or all",
      options: { ended: undefined, all: undefined, kind: "<kind>" },
      ask(words) {
        words.none();
        return { method: "GET", path: `/api/alert?${listQuery(words).toString()}` };
      },
      show: (data) =>
        table(data, ["id", "began", "ended", "rule", "note", "text"], (alert) => [
          alert["id"] ?? null,
          moment(alert["began_at"]),
          moment(alert["ended_at"]),
          memberOf(alert["rule"], "name") ?? null,
          noteOf(alert),
          alert["text"] ?? null,
        ]),
    },
    {
      usage: "rules",
      doc: "lists the rules with their terms",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/alert/rule" };
      },
      show: (data) =>
        table(data, ["id", "name", "kind", "status", "terms", "remind", "to"], (rule) => [
          rule["id"] ?? null,
          rule["name"] ?? null,
          rule["kind"] ?? null,
          statusWord(rule["status"]),
          termsOf(rule),
          rule["remind_minutes"] === null ? "-" : `${cell(rule["remind_minutes"] ?? null)} min`,
          rule["destinations"] === null ? "all" : cell(rule["destinations"] ?? null),
        ]),
    },
    {
      usage: "add-rule <name>",
      doc: "creates a rule of a kind; further fields such as terms are JSON",
      options: { kind: "<kind>", set: "<@file|json>" },
      async ask(words) {
        const kind = words.text("kind");
        if (kind === undefined) throw new UsageError("--kind takes the kind of the rule.");
        const fields = await words.object("set");
        const body = { ...fields, name: words.one("the name of the rule"), kind };
        return { method: "POST", path: "/api/alert/rule", body };
      },
      show: listing,
    },
    {
      usage: "remove-rule <rule-id>",
      doc: "deletes a rule; its open alerts end",
      ask: (words) => ({ method: "DELETE", path: rulePath(words) }),
      show: listing,
    },
    change("enable <rule-id>", "enables a rule", 1),
    change("disable <rule-id>", "disables a rule; its open alerts end", 2),
    {
      usage: "destinations",
      doc: "lists the destinations, without their secrets",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/alert/destination" };
      },
      show: (data) =>
        table(data, ["id", "name", "kind", "status", "address"], (destination) => [
          destination["id"] ?? null,
          destination["name"] ?? null,
          destination["kind"] ?? null,
          statusWord(destination["status"]),
          destination["address"] ?? null,
        ]),
    },
    {
      usage: "add <name>",
      doc: "creates a destination; reads its URL, and --signed its secret, from the standard input",
      options: { kind: "<kind>", to: "<addresses>", signed: undefined },
      ask: addDestination,
      show: listing,
    },
    {
      usage: "edit <destination>",
      doc: "changes the given fields of a destination",
      options: { set: "<@file|json>" },
      ask: async (words) => ({
        method: "PUT",
        path: destinationPath(words),
        body: await words.object("set"),
      }),
      show: listing,
    },
    {
      usage: "rotate-secret <destination>",
      doc: "makes a new secret for the signatures of a webhook, and shows it once",
      ask: (words) => ({ method: "POST", path: `${destinationPath(words)}/secret` }),
      show: listing,
    },
    {
      usage: "remove <destination>",
      doc: "deletes a destination",
      ask: (words) => ({ method: "DELETE", path: destinationPath(words) }),
      show: listing,
    },
    {
      usage: "test <destination>",
      doc: "sends a test message, and shows what the destination answered",
      ask: (words) => ({ method: "POST", path: `${destinationPath(words)}/test` }),
      show: listing,
      isFailure: (data) => flagOf(data["ok"]) !== true,
    },
    {
      usage: "acknowledge <alert>",
      doc: "stops the reminders of an open alert",
      ask: (words) => ({
        method: "POST",
        path: `/api/alert/open/${encodeURIComponent(words.one("the id of an alert"))}/acknowledge`,
      }),
      show: listing,
    },
    {
      usage: "silence <alert|rule-id>",
      doc: "sends nothing about an open alert, or about a rule, for a time such as 2h; --end ends it",
      options: { for: "<time>", end: undefined },
      ask: silence,
      show: listing,
    },
    {
      usage: "deliveries",
      doc: "lists the last messages, and why they failed",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/alert/delivery" };
      },
      show: (data) =>
        table(data, ["id", "state", "attempts", "created", "error"], (each) => [
          each["id"] ?? null,
          each["state"] ?? null,
          each["attempts"] ?? null,
          moment(each["created_at"]),
          each["last_error"] ?? null,
        ]),
    },
    {
      usage: "replay <delivery>",
      doc: "sends a message again",
      ask: (words) => ({
        method: "POST",
        path: `/api/alert/delivery/${encodeURIComponent(words.one("the id of a delivery"))}/replay`,
      }),
      show: listing,
    },
  ],
};

function listQuery(words: Words): URLSearchParams {
  if (words.has("ended") && words.has("all")) {
    throw new UsageError("--ended and --all exclude each other.");
  }
  const state = words.has("all") ? "all" : words.has("ended") ? "ended" : "open";
  return new URLSearchParams({ state, ...defined({ kind: words.text("kind") }) });
}

function noteOf(alert: JsonObject): string {
  if (alert["silenced_until"] !== null) return `silent until ${moment(alert["silenced_until"])}`;
  return alert["acknowledged_by"] === null
    ? ""
    : `acknowledged by ${cell(alert["acknowledged_by"] ?? null)}`;
}

function termsOf(rule: JsonObject): string {
  const terms = rule["effective_terms"];
  return Object.entries(typeof terms === "object" && terms !== null ? terms : {})
    .map(([name, value]) => `${name}=${cell(value ?? null)}`)
    .join(" ");
}

function change(usage: string, doc: string, status: number): Noun["verbs"][number] {
  return {
    usage,
    doc,
    ask: (words) => ({
      method: "PUT",
      path: rulePath(words),
      body: { status },
    }),
    show: listing,
  };
}

function rulePath(words: Words): string {
  return `/api/alert/rule/${encodeURIComponent(words.one("the id of a rule"))}`;
}

async function addDestination(words: Words): Promise<Prompt> {
  const name = words.one("a name");
  const kind = words.text("kind");
  if (kind === undefined) throw new UsageError("--kind takes the kind of the destination.");
  const to = words.list("to");
  const path = "/api/alert/destination";
  if (kind === "email") {
    if (to === undefined) throw new UsageError("--to takes e-mail addresses.");
    return { method: "POST", path, body: { name, kind, to: [...to] } };
  }
  const url = await words.secret("the URL");
  const secret = words.has("signed") ? await words.secret("the secret") : undefined;
  return { method: "POST", path, body: { name, kind, url, ...defined({ secret }) } };
}

function destinationPath(words: Words): string {
  const named = words.one("the id or name of a destination");
  return `/api/alert/destination/${encodeURIComponent(named)}`;
}

const MINUTES = { m: 1, h: 60, d: 1_440 } as const;

function silence(words: Words): Prompt {
  const id = words.one("the id of an alert or a rule");
  const path = /^\d+$/.test(id)
    ? `/api/alert/rule/${id}`
    : `/api/alert/open/${encodeURIComponent(id)}`;
  return { method: "POST", path: `${path}/silence`, body: { minutes: minutesOf(words) } };
}

function minutesOf(words: Words): number {
  const time = words.text("for");
  if (words.has("end") !== (time === undefined)) {
    throw new UsageError("Give --for with a time such as 30m, 2h or 1d, or --end.");
  }
  if (time === undefined) return 0;
  const [, amount = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(time) ?? [];
  const factor = unit === "m" || unit === "h" || unit === "d" ? MINUTES[unit] : undefined;
  if (factor === undefined) throw new UsageError("--for takes a time such as 30m, 2h or 1d.");
  return Number(amount) * factor;
}

import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { columns } from "./columns.ts";
import { cell, UsageError, type Noun, type Words } from "./command.ts";

/** Options that are parameters of the API, by the option's name. */
const FILTERS = {
  outcome: "outcome",
  status: "status",
  fault: "fault",
  model: "model",
  "upstream-model": "upstream_model",
  style: "style",
  endpoint: "endpoint",
  user: "user",
  team: "team",
  group: "group",
  key: "token",
  session: "session",
  tag: "tag",
  "min-cost": "min_cost_usd",
  "min-duration": "min_duration_ms",
  sort: "sort",
  before: "before",
  limit: "page_size",
} as const;

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

export const log: Noun = {
  name: "log",
  verbs: [
    {
      usage: "list",
      doc: "lists calls, the latest first; with --failed and --channel those that failed on the channel, even if another one answered; with --follow calls as they end",
      options: {
        follow: undefined,
        failed: undefined,
        since: "<1h|date>",
        until: "<1h|date>",
        channel: "<name>",
        ...Object.fromEntries(Object.keys(FILTERS).map((name) => [name, "<value>"])),
      },
      ask(words) {
        words.none();
        if (!words.has("follow")) return { method: "GET", path: `/api/log?${queryOf(words)}` };
        return { method: "GET", path: `/api/log/stream?${followOf(words)}`, isFollowed: true };
      },
      show: showCalls,
      showEvent: (call) => [rowOf(call).join("  ")],
    },
    {
      usage: "show <id>",
      doc: "shows one call with its attempts; 'sluice log <id>' does the same",
      startsWith: /^[\da-z_-]{20,64}$/i,
      ask: (words) => ({
        method: "GET",
        path: `/api/log/${encodeURIComponent(words.one("the id of a call"))}`,
      }),
      show: showCall,
    },
    {
      usage: "explain <id>",
      doc: "explains what would happen to a past call of text now: channels, losses, price, limits",
      ask: (words) => ({
        method: "POST",
        path: `/api/log/explain/${encodeURIComponent(words.one("the id of a call"))}`,
      }),
      show: (data) => JSON.stringify(data, undefined, 2).split("\n"),
    },
    {
      usage: "content <id>",
      doc: "shows the request and the answer of a call, and the result of a task, if the content log has them; each reading is audited",
      ask: (words) => ({
        method: "GET",
        path: `/api/log/content/${encodeURIComponent(words.one("the id of a call"))}`,
      }),
      show: showContent,
    },
  ],
};

function queryOf(words: Words): string {
  const query = new URLSearchParams({ page_size: "50" });
  for (const [option, name] of Object.entries(FILTERS)) {
    const given = words.text(option);
    if (given !== undefined) query.set(name, given);
  }
  for (const [option, name] of [
    ["since", "from"],
    ["until", "to"],
  ] as const) {
    const given = words.text(option);
    if (given !== undefined) query.set(name, instantOf(option, given));
  }
  const channel = words.text("channel");
  const isFailed = words.has("failed");
  if (channel !== undefined) query.set(isFailed ? "failed_channel" : "channel", channel);
  else if (isFailed) query.set("outcome", "failed");
  return query.toString();
}

/** The filters of a list; a stream has no pages. */
function followOf(words: Words): string {
  const refused = ["sort", "before", "limit"].find((option) => words.text(option) !== undefined);
  if (refused !== undefined) throw new UsageError(`--follow takes no --${refused}.`);
  const query = new URLSearchParams(queryOf(words));
  query.delete("page_size");
  return query.toString();
}

/** A time before now, or a date that the gateway reads. */
function instantOf(option: string, given: string): string {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  const ms = UNITS.get(unit);
  if (count !== undefined && ms !== undefined) {
    return new Date(Date.now() - Number(count) * ms).toISOString();
  }
  if (/^\d{4}-\d{2}-\d{2}/.test(given) || /^\d{9,11}$/.test(given)) return given;
  throw new UsageError(`--${option} takes a time such as 30m, 1h or 7d, or a date.`);
}

function showCalls(data: JsonObject): readonly string[] {
  const calls = listOf(data["items"]).filter(isObject);
  const next = textOf(data["next"]);
  return [
    ...columns([
      ["time", "id", "user", "key", "model", "channel", "outcome", "fault", "cost $", "ms"],
      ...calls.map(rowOf),
    ]),
    ...(next === undefined ? [] : [`more calls: add --before ${next}`]),
  ];
}

function rowOf(call: JsonObject): readonly string[] {
  return [
    timeOf(call["created_at"]),
    call["id"],
    call["user_name"] ?? call["user_id"],
    call["token_name"] ?? call["token_id"],
    call["model"],
    call["channel"] ?? lastChannel(call),
    call["outcome"],
    call["fault"],
    call["cost_usd"],
    call["duration_ms"],
  ].map((each) => cell(each ?? null));
}

function lastChannel(call: JsonObject): Json | undefined {
  return memberOf(listOf(call["attempts"]).at(-1), "channel");
}

function showContent(data: JsonObject): readonly string[] {
  return ["request", "answer", "result"].flatMap((name) => {
    const part = data[name] ?? null;
    // Only video tasks have a result.
    if (!isObject(part)) return name === "result" ? [] : [`${name}: none`];
    const size = `${cell(part["size_bytes"] ?? null)} bytes`;
    return [
      `${name}: ${part["truncated"] === true ? `${size}, truncated` : size}`,
      textOf(part["text"]) ?? "",
      "",
    ];
  });
}

function showCall(call: JsonObject): readonly string[] {
  const shown = Object.entries(call).filter(
    ([name, value]) => !LISTS.has(name) && value !== null && !isObject(value),
  );
  return [
    ...columns(
      shown.map(([name, value]) => [
        name,
        isArray(value) ? value.map(cell).join(", ") : cell(value ?? null),
      ]),
    ),
    "",
    ...columns([
      ["start ms", "end ms", "channel", "credential", "result", "status", "reason"],
      ...listOf(call["attempts"]).map((attempt) =>
        [
          memberOf(attempt, "start_ms"),
          memberOf(attempt, "end_ms"),
          memberOf(attempt, "channel"),
          memberOf(attempt, "credential"),
          memberOf(attempt, "fault") ?? "answered",
          memberOf(attempt, "status"),
          memberOf(attempt, "reason"),
        ].map((each) => cell(each ?? null)),
      ),
    ]),
    "",
    ...columns([
      ["kind", "count", "rate $", "cost $"],
      ...listOf(call["cost_parts"]).map((part) =>
        [
          memberOf(part, "kind"),
          memberOf(part, "count"),
          memberOf(part, "usd_per_million") ?? memberOf(part, "usd_each"),
          memberOf(part, "cost_usd"),
        ].map((each) => cell(each ?? null)),
      ),
    ]),
  ];
}

const LISTS: ReadonlySet<string> = new Set(["attempts", "cost_parts", "explain"]);

function timeOf(at: Json | undefined): string {
  return typeof at === "number" ? new Date(at * 1_000).toISOString().slice(0, 19) : "";
}

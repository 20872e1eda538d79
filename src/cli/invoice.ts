import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { columns } from "./columns.ts";
import { cell, UsageError, type Noun, type Verb, type Words } from "./command.ts";
import { displayed } from "./usage.ts";

const OPTIONS = { month: "<2026-11>", csv: undefined, html: undefined } as const;

/** Statements by user or team and month. */
export const invoice: Noun = {
  name: "invoice",
  verbs: [verb("user", "by key and model"), verb("team", "by user and model")],
};

function verb(kind: "user" | "team", by: string): Verb {
  return {
    usage: `${kind} <id>`,
    doc: `prints a ${kind}'s statement of a month, ${by}; --csv and --html print a file`,
    options: OPTIONS,
    ask(words) {
      const id = encodeURIComponent(words.one(`the id of a ${kind}`));
      return { method: "GET", path: `/api/invoice/${kind}/${id}?${queryOf(words)}` };
    },
    show,
  };
}

function queryOf(words: Words): string {
  const query = new URLSearchParams();
  const month = words.text("month");
  if (month !== undefined) query.set("month", month);
  const formats = ["csv", "html", "json"].filter((each) => words.has(each));
  if (formats.length > 1) throw new UsageError("Give one of --csv, --html and --json.");
  const [format] = formats;
  if (format !== undefined) query.set("format", format);
  return query.toString();
}

function show(data: JsonObject): readonly string[] {
  const document = textOf(data["document"]);
  if (document !== undefined) return [document.trimEnd()];
  const owner = data["owner"];
  const name = cell(memberOf(owner, "name") ?? null);
  const state = data["is_final"] === true ? "final" : "preliminary";
  const line = (item: JsonObject): readonly string[] =>
    [
      item["key_name"] ?? item["user_name"] ?? item["key_id"] ?? item["user_id"],
      item["model"],
      item["calls"],
      item["input_tokens"],
      item["output_tokens"],
      item["cost_usd"],
      ...displayed(data).map(([name]) => item[name]),
    ].map((each) => cell(each ?? null));
  const summed = (title: string, sum: JsonObject): readonly string[] => [
    title,
    ...line(sum).slice(1),
  ];
  const { total, others } = data;
  return [
    `${cell(memberOf(owner, "kind") ?? null)} ${name}, ${cell(data["month"] ?? null)}, ${state}`,
    "",
    ...columns([
      [
        "of",
        "model",
        "calls",
        "input",
        "output",
        "cost $",
        ...displayed(data).map(([, title]) => title),
      ],
      ...listOf(data["items"]).filter(isObject).map(line),
      ...(isObject(others) ? [summed("others", others)] : []),
      ...(isObject(total) ? [summed("total", total)] : []),
    ]),
  ];
}

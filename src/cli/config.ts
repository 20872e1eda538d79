import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { cell, UsageError, type Noun } from "./command.ts";

/** The configuration in the database as one document. */
export const config: Noun = {
  name: "config",
  verbs: [
    {
      usage: "export",
      doc: "prints the settings, channels, models, groups, teams and alerts of the database as YAML, without secrets",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/config" };
      },
      show: (data) => [(textOf(data["document"]) ?? "").trimEnd()],
    },
    {
      usage: "plan <file>",
      doc: "shows the changes that a document would make, and the digest to apply them",
      ask: async (words) => ({
        method: "POST",
        path: "/api/config/plan",
        document: await words.file(),
      }),
      show: (data) => [...showChanges(data), "", `--plan ${textOf(data["digest"]) ?? ""}`],
    },
    {
      usage: "apply <file>",
      doc: "makes the planned changes, all or none; refused if the plan is outdated",
      options: { plan: "<digest>" },
      async ask(words) {
        const plan = words.text("plan");
        if (plan === undefined) throw new UsageError("--plan takes the digest that `plan` shows.");
        const path = `/api/config/apply?plan=${encodeURIComponent(plan)}`;
        return { method: "POST", path, document: await words.file() };
      },
      show: showChanges,
    },
  ],
};

function showChanges(data: JsonObject): readonly string[] {
  const changes = listOf(data["changes"])
    .filter(isObject)
    .filter(({ action }) => action !== "nothing");
  if (changes.length === 0) return ["nothing changes"];
  return changes.flatMap(({ action, section, name, fields }) => [
    [action, section, name].map((each) => cell(each ?? null)).join(" "),
    ...listOf(fields)
      .filter(isObject)
      .map(
        (each) =>
          `  ${cell(each["field"] ?? null)}: ${shown(each["before"])} -> ${shown(each["after"])}`,
      ),
  ]);
}

function shown(value: JsonObject[string]): string {
  return cell(value ?? null);
}

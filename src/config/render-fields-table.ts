import type { z } from "zod";
import { descriptionOf } from "./documents/fields.ts";

const HEAD = ["Name", "Required", "Meaning"];

/** The fields of a document's objects as a Markdown table, for the manual. */
export function renderFieldsTable(fields: Readonly<Record<string, z.ZodType>>): string {
  const rows = Object.entries(fields).map(([name, schema]) => [
    `\`${name}\``,
    schema.safeParse(undefined).success ? "no" : "yes",
    descriptionOf(schema),
  ]);
  const rule = HEAD.map(() => "---");
  return [HEAD, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

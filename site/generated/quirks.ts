import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TextEndpoint } from "#providers/provider.ts";
import { code, table } from "./table.ts";

const STYLES = join(import.meta.dir, "..", "..", "src", "styles", "text");
/** The declaration of each style's dialect, whose comments describe the members. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  chat: "chat/request/dialect.ts",
  responses: "responses/request/fit-reasoner.ts",
  gemini: "gemini/request/fit-request.ts",
};
const MEMBER = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+readonly (\w+)\??:/g;
/** Their names say everything. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  topK: "Takes `top_k`.",
};

/** The declared deviations of a vendor from the style, as a table. */
export function describeQuirks({ style, dialect, streamsOnly }: TextEndpoint): readonly string[] {
  const known = descriptionsOf(style.id);
  const rows = Object.entries(dialect ?? {}).map(([name, value]) => {
    const meaning = known.get(name) ?? UNDESCRIBED[name];
    if (meaning === undefined)
      throw new Error(`The dialect of ${style.id} does not describe ${name}.`);
    return [code(name), meaning, valueOf(value)];
  });
  const streams =
    streamsOnly === undefined
      ? []
      : ["Some models answer in streams only; the gateway collects them."];
  return [...streams, ...(rows.length === 0 ? [] : [table(["Quirk", "Meaning", "Value"], rows)])];
}

function descriptionsOf(style: string): ReadonlyMap<string, string> {
  const file = DECLARATIONS[style];
  if (file === undefined) return new Map();
  const found = [...readFileSync(join(STYLES, file), "utf8").matchAll(MEMBER)];
  return new Map(
    found.map(([, comment = "", name = ""]) => [
      name,
      comment.replaceAll(/\s*\n\s*\* ?/g, " ").trim(),
    ]),
  );
}

function valueOf(value: unknown): string {
  if (value instanceof Set) return `${value.size} members`;
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((each) => code(String(each))).join(", ");
  if (typeof value === "boolean") return code(String(value));
  if (typeof value === "string") return code(value);
  return code(
    JSON.stringify(value, (_, each: unknown) => (each instanceof RegExp ? each.source : each)),
  );
}

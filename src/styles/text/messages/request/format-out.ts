import type { OutputFormat } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, objectOf } from "#lib/values.ts";
import { schemaInstruction } from "#styles/text/format-instruction.ts";
import { fitSchema, hasBounds, isOpen } from "./schema-out.ts";

interface Format {
  readonly wire: JsonObject | undefined;
  readonly instruction: string | undefined;
  readonly lost?: readonly string[];
}

const EMPTY: Format = { wire: undefined, instruction: undefined };

const LOST = ["response_format"];

/** A schema of closed objects can be enforced; any other, or that it be JSON at all, can only be told. */
export function buildFormat(format: OutputFormat | undefined): Format {
  if (format === undefined || format.type === "text") return EMPTY;
  if (format.type === "json" || format.schema === undefined) {
    return { wire: undefined, instruction: schemaInstruction(undefined), lost: LOST };
  }
  const { description, schema } = format;
  const described = description === undefined ? schema : { description, ...schema };
  if (isOpen(schema)) {
    return { wire: undefined, instruction: schemaInstruction(described), lost: LOST };
  }
  return {
    wire: { type: "json_schema", schema: fitSchema(described) },
    instruction: undefined,
    lost: hasBounds(schema) ? LOST : [],
  };
}

export function schemaIn({
  output_config: config,
  output_format: older,
}: JsonObject): JsonObject | undefined {
  const format = memberOf(config, "format") ?? older;
  if (memberOf(format, "type") !== "json_schema") return undefined;
  return objectOf(memberOf(format, "schema"));
}

/** A tool takes an open object, too. */
export function schemaBy(
  schema: JsonObject,
  { model }: Omit<OutboundContext, "report">,
): "format" | "tool" | "words" {
  const { rules, tools } = model;
  if (rules?.formats?.includes("json_schema") !== false && !isOpen(schema)) return "format";
  return tools === true && rules?.forcedTools !== false ? "tool" : "words";
}

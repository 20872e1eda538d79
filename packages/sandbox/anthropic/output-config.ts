import type { OutputFormat, ReasoningEffort } from "../engine/conversation.ts";
import type { JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readChoice,
  readObject,
  readTagged,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";
import { checkSchema } from "./schema-limits.ts";

export interface OutputConfig {
  readonly format: OutputFormat;
  readonly effort: ReasoningEffort | undefined;
}

/** `output_config`, and `output_format` as it was called while it was a beta. */
export function readOutputConfig(body: JsonObject, betas: Betas): OutputConfig {
  const config = readObject(field(body, "output_config")) ?? {};
  const budgets = betas.has("task-budgets-2026-03-13") ? ["task_budget"] : [];
  refuseExtras(config, ["effort", "format", ...budgets], "output_config");
  const older = field(body, "output_format");
  if (older.value !== undefined && !betas.has("structured-outputs-2025-11-13"))
    throw invalid("output_format", "Extra inputs are not permitted");
  const newer = field(config, "format", "output_config");
  if (older.value !== undefined && newer.value !== undefined)
    throw invalid("", "Only one of `output_format` and `output_config.format` may be given.");

  return {
    format: readFormat(newer.value === undefined ? older : newer),
    effort: readChoice(field(config, "effort", "output_config"), [
      "low",
      "medium",
      "high",
      "xhigh",
      "max",
    ]),
  };
}

function readFormat(at: FieldValue): OutputFormat {
  if (at.value === undefined) return { kind: "text" };
  const { object } = readTagged(at, ["json_schema"]);
  refuseExtras(object, ["type", "schema"], at.path);
  const schema = required(field(object, "schema", at.path), readObject);
  checkSchema(schema, inside(at.path, "schema"));
  return { kind: "schema", schema };
}

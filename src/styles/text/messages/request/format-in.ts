import type { OutputFormat } from "#core/chat.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { defined, memberOf, objectOf, restOf } from "#lib/values.ts";
import type { Members } from "#styles/text/request-fields.ts";

/** One that only some vendor knows stays where it is. */
export function parseFormat(body: JsonObject): OutputFormat | undefined {
  // The second is how it was called while it was on trial.
  const format = memberOf(body["output_config"], "format") ?? body["output_format"];
  if (memberOf(format, "type") !== "json_schema") return undefined;
  return {
    type: "json_schema",
    name: "response",
    ...defined({ schema: objectOf(memberOf(format, "schema")) }),
  };
}

const EFFORT = new Set(["effort"]);
const EFFORT_AND_FORMAT = new Set(["effort", "format"]);

/** Further content of the members that hold a format. */
export function restOfFormat(body: JsonObject, format: OutputFormat | undefined): Members {
  const { output_config: config, output_format: older } = body;
  const isRead = format !== undefined;
  return {
    output_config: isObject(config)
      ? restOf(config, isRead ? EFFORT_AND_FORMAT : EFFORT)
      : undefined,
    output_format: isRead ? undefined : (older ?? undefined),
  };
}

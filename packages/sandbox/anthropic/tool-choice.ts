import type { ToolChoice } from "../engine/conversation.ts";
import { invalid } from "./error.ts";
import {
  field,
  readBoolean,
  readTagged,
  readText,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { OfferedTool } from "./tools.ts";

export interface ChoiceOfTool {
  readonly choice: ToolChoice;
  readonly mayCallInParallel: boolean;
}

export function readToolChoice(at: FieldValue, tools: readonly OfferedTool[]): ChoiceOfTool {
  if (at.value === undefined)
    return { choice: { mode: tools.length === 0 ? "none" : "auto" }, mayCallInParallel: true };
  const { object, tag, path } = readTagged(at, ["any", "auto", "none", "tool"]);
  refuseExtras(
    object,
    tag === "none"
      ? ["type"]
      : ["type", "disable_parallel_tool_use", ...(tag === "tool" ? ["name"] : [])],
    path,
  );
  const mayCallInParallel = !(
    readBoolean(field(object, "disable_parallel_tool_use", path)) ?? false
  );
  const name = tag === "tool" ? required(field(object, "name", path), readText) : "";

  if (tools.length === 0)
    throw invalid("tool_choice", "may only be specified while providing tools");
  if (tag === "tool") {
    if (!tools.some(({ tool }) => tool.name === name))
      throw invalid("", `Tool '${name}' not found in provided tools`);
    return { choice: { mode: "named", name }, mayCallInParallel };
  }
  return { choice: { mode: tag === "any" ? "required" : tag }, mayCallInParallel };
}

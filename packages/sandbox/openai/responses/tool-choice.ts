import type { Tool, ToolChoice } from "@sluice/sandbox/engine/conversation.ts";
import { isJsonObject, jsonText, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import { field, readList, readText, required } from "../fields.ts";
import type { ToolOffer } from "./tool-request.ts";

/** Which of the tools the model shall use. */
export function readToolChoice(body: JsonObject, { tools, hosted }: ToolOffer): ChosenTool {
  const { value } = field(body, "tool_choice");
  const echo = value ?? "auto";
  if (!isJsonObject(echo)) return { choice: readMode(echo, tools, hosted), echo };
  const typeField = field(echo, "type", "tool_choice.type");
  const type = required(typeField, readText(typeField));
  if (type === "allowed_tools") return { choice: readAllowed(echo, tools), echo };
  if (type === "function" || type === "custom") {
    const nameField = field(echo, "name", "tool_choice.name");
    const name = required(nameField, readText(nameField));
    if (!tools.some((tool) => tool.kind === type && tool.name === name)) throw notFound(type);
    return { choice: { mode: "named", name }, echo };
  }
  if (!hosted.includes(type)) throw notFound(type);
  if (!type.startsWith("web_search"))
    throw choiceError(`Tool choice '${type}' is not supported with this model.`);
  return { choice: { mode: "none" }, echo, mustSearch: true };
}

export interface ChosenTool {
  readonly choice: ToolChoice;
  readonly echo: Json;
  readonly mustSearch?: boolean;
}

function readMode(value: Json, tools: readonly Tool[], hosted: readonly string[]): ToolChoice {
  if (value !== "none" && value !== "auto" && value !== "required") {
    throw new ApiError(400, {
      message: `Invalid value: '${jsonText(value)}'. Supported values are: 'none', 'auto', and 'required'.`,
      param: "tool_choice",
      code: "invalid_value",
    });
  }
  if (value === "required" && tools.length === 0 && hosted.length === 0)
    throw choiceError("Tool choice 'required' must be specified with 'tools' parameter.");
  return { mode: tools.length === 0 ? "none" : value };
}

function readAllowed(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  const mode = choice["mode"];
  const list = required(
    field(choice, "tools", "tool_choice.tools"),
    readList(field(choice, "tools", "tool_choice.tools"), 1, 128),
  );
  const only = list.flatMap((each) =>
    isJsonObject(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
  if (only.some((name) => !tools.some((tool) => tool.name === name))) throw notFound("function");
  return { mode: mode === "required" ? "required" : "auto", only };
}

function notFound(type: string): Error {
  return choiceError(`Tool choice '${type}' not found in 'tools' parameter.`);
}

function choiceError(message: string): Error {
  return new ApiError(400, { message, param: "tool_choice" });
}

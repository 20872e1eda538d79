import type { Tool, ToolChoice } from "../engine/conversation.ts";
import { patternOf } from "../engine/json-schema/matches.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  readBoolean,
  readChoice,
  readList,
  readObject,
  readText,
  required,
} from "./fields.ts";
import { checkStrictSchema } from "./strict-schema.ts";

interface ToolSettings {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly mayCallInParallel: boolean;
  readonly isLegacyFunctions: boolean;
}

export function readTools(body: JsonObject): ToolSettings {
  const functions = readList(field(body, "functions"), 1, MAX_TOOLS);
  if (functions !== undefined) return readLegacy(body, functions);

  const list = readList(field(body, "tools"), 1, MAX_TOOLS);
  const tools = list?.map((tool, index) => readTool(tool, `tools[${index}]`)) ?? [];
  for (const name of ["tool_choice", "parallel_tool_calls"]) {
    if (list === undefined && field(body, name).value !== undefined) {
      throw invalid(
        name,
        null,
        `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
      );
    }
  }
  return {
    tools,
    toolChoice: readChoiceOfTool(field(body, "tool_choice").value, tools),
    mayCallInParallel: readBoolean(field(body, "parallel_tool_calls")) ?? true,
    isLegacyFunctions: false,
  };
}

const MAX_TOOLS = 128;

function readTool(value: Json, path: string): Tool {
  const tool = required({ path, value }, readObject({ path, value }));
  const type = field(tool, "type", `${path}.type`);
  const kind = required(type, readChoice(type, ["function", "custom"]));
  const inner = required(
    field(tool, kind, `${path}.${kind}`),
    readObject(field(tool, kind, `${path}.${kind}`)),
  );
  return kind === "function"
    ? readFunction(inner, `${path}.function`)
    : readCustom(inner, `${path}.custom`);
}

function readFunction(tool: JsonObject, path: string): Tool {
  const name = readName(tool, path);
  const schema = readObject(field(tool, "parameters", `${path}.parameters`)) ?? {};
  if (readBoolean(field(tool, "strict", `${path}.strict`)) === true) {
    checkStrictSchema(schema, {
      label: `function '${name}'`,
      param: `${path}.parameters`,
      code: "invalid_function_parameters",
    });
  }
  if (schema["type"] !== undefined && schema["type"] !== "object") {
    throw invalid(
      `${path}.parameters`,
      "invalid_function_parameters",
      `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`,
    );
  }
  return { kind: "function", name, description: readDescription(tool, path), schema };
}

export function readCustom(tool: JsonObject, path: string): Tool {
  const name = readName(tool, path);
  const description = readDescription(tool, path);
  const format = readObject(field(tool, "format", `${path}.format`)) ?? {};
  readChoice(field(format, "type", `${path}.format.type`), ["text", "grammar"]);
  const grammar = readObject(field(format, "grammar", `${path}.format.grammar`)) ?? {};
  const syntax = readChoice(field(grammar, "syntax", `${path}.format.grammar.syntax`), [
    "lark",
    "regex",
  ]);
  const definition = readText(field(grammar, "definition", `${path}.format.grammar.definition`));
  if (syntax === "regex" && definition !== undefined && patternOf(definition) === undefined) {
    throw invalid(
      `${path}.format.grammar.definition`,
      "invalid_value",
      "Invalid grammar: the definition is no regular expression.",
    );
  }
  // A Lark grammar is accepted, but the sandbox has no parser for it.
  const pattern =
    syntax === "regex" && definition !== undefined ? { pattern: `^(?:${definition})$` } : {};
  return { kind: "custom", name, description, ...pattern };
}

export function readName(tool: JsonObject, path: string): string {
  const name = required(
    field(tool, "name", `${path}.name`),
    readText(field(tool, "name", `${path}.name`), 64),
  );
  if (!/^[\w-]+$/.test(name)) {
    throw invalid(
      `${path}.name`,
      "invalid_value",
      `Invalid '${path}.name': expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    );
  }
  return name;
}

export function readDescription(tool: JsonObject, path: string): string {
  return readText(field(tool, "description", `${path}.description`)) ?? "";
}

function readChoiceOfTool(choice: Json | undefined, tools: readonly Tool[]): ToolChoice {
  if (choice === undefined) return { mode: tools.length === 0 ? "none" : "auto" };
  if (!isJsonObject(choice)) {
    return {
      mode:
        readChoice({ path: "tool_choice", value: choice }, ["none", "auto", "required"]) ?? "auto",
    };
  }
  const type = field(choice, "type", "tool_choice.type");
  const kind = required(type, readChoice(type, ["function", "custom", "allowed_tools"]));
  const inner = required(
    field(choice, kind, `tool_choice.${kind}`),
    readObject(field(choice, kind, `tool_choice.${kind}`)),
  );
  return kind === "allowed_tools"
    ? readAllowed(inner, tools)
    : { mode: "named", name: readNamed(inner, kind, tools) };
}

function readNamed(inner: JsonObject, kind: "function" | "custom", tools: readonly Tool[]): string {
  const path = `tool_choice.${kind}.name`;
  const name = required(field(inner, "name", path), readText(field(inner, "name", path)));
  if (!tools.some((tool) => tool.kind === kind && tool.name === name)) {
    throw invalid(
      "tool_choice",
      null,
      `Invalid value for 'tool_choice': the ${kind} '${name}' is not among 'tools'.`,
    );
  }
  return name;
}

function readAllowed(inner: JsonObject, tools: readonly Tool[]): ToolChoice {
  const path = "tool_choice.allowed_tools";
  const mode = required(
    field(inner, "mode", `${path}.mode`),
    readChoice(field(inner, "mode", `${path}.mode`), ["auto", "required"]),
  );
  const list = required(
    field(inner, "tools", `${path}.tools`),
    readList(field(inner, "tools", `${path}.tools`), 1, MAX_TOOLS),
  );
  const only = list.map((each, index) => {
    const kind = isJsonObject(each) && each["type"] === "custom" ? "custom" : "function";
    const named = isJsonObject(each) ? each[kind] : undefined;
    return readNamed(
      required(
        { path: `${path}.tools[${index}]`, value: named },
        isJsonObject(named) ? named : undefined,
      ),
      kind,
      tools,
    );
  });
  return { mode, only };
}

function readLegacy(body: JsonObject, functions: readonly Json[]): ToolSettings {
  const tools = functions.map((value, index) => {
    const path = `functions[${index}]`;
    return readFunction(required({ path, value }, readObject({ path, value })), path);
  });
  const call = field(body, "function_call").value;
  const toolChoice: ToolChoice = isJsonObject(call)
    ? { mode: "named", name: readLegacyName(call, tools) }
    : { mode: readChoice({ path: "function_call", value: call }, ["none", "auto"]) ?? "auto" };
  return { tools, toolChoice, mayCallInParallel: false, isLegacyFunctions: true };
}

function readLegacyName(call: JsonObject, tools: readonly Tool[]): string {
  const name = required(
    field(call, "name", "function_call.name"),
    readText(field(call, "name", "function_call.name")),
  );
  if (tools.some((tool) => tool.name === name)) return name;
  throw invalid(
    "function_call",
    null,
    `Invalid value for 'function_call': no function named '${name}' was specified in 'functions'.`,
  );
}

import type { ChatRequest, Tool, ToolChoice } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, memberOf, objectOf, textOf } from "#lib/values.ts";
import type { ChatDialect } from "./dialect.ts";
import { CHAT, isOwn } from "./spelling.ts";
import { asFunction } from "./stand-in.ts";
import { fitName, ownName, standInName } from "#styles/text/tool-names.ts";

export function buildTools(
  request: ChatRequest,
  dialect: ChatDialect,
  report: LossReport,
): readonly JsonObject[] {
  const { tools = [], toolChoice } = request;
  if (isOwn(request)) {
    return tools.map((tool) => buildTool({ ...tool, name: ownName(tool.name) }, report));
  }
  const allowed = allowedNames(toolChoice);
  // Where a choice among some of the tools cannot be told, only those are shown.
  const shown =
    allowed === undefined || dialect.customTools === true
      ? tools
      : tools.filter(({ name }) => allowed.has(name));
  return shown.map((tool) => buildTool(fitted(tool, dialect, report), report));
}

function fitted(tool: Tool, dialect: ChatDialect, report: LossReport): Tool {
  const name = writtenName(tool.name, tool.kind, dialect);
  return standsIn(tool.kind, dialect) ? { ...asFunction(tool, report), name } : { ...tool, name };
}

function standsIn(kind: Tool["kind"], dialect: ChatDialect): boolean {
  return kind === "custom" && dialect.customTools !== true;
}

/** Of another style's tool. */
export function writtenName(name: string, kind: Tool["kind"], dialect: ChatDialect): string {
  return standsIn(kind, dialect) ? standInName(name) : fitName(name);
}

function allowedNames(choice: ToolChoice | undefined): ReadonlySet<string> | undefined {
  return choice?.mode === "allowed" ? new Set(choice.tools.map(nameIn)) : undefined;
}

/** Flat or nested: each style writes it in its own way. */
function nameIn(tool: JsonObject): string {
  const nested = objectOf(tool["function"]) ?? objectOf(tool["custom"]);
  return textOf(tool["name"]) ?? textOf(memberOf(nested, "name")) ?? "";
}

function buildTool(tool: Tool, report: LossReport): JsonObject {
  const { [tool.kind]: inner, ...outer } = tool.extra?.[CHAT] ?? {};
  report.loseForeign(tool.extra, CHAT, "tools.");
  return {
    ...outer,
    type: tool.kind,
    [tool.kind]: {
      ...objectOf(inner),
      ...defined({
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters,
        strict: tool.strict,
        format: tool.format,
      }),
    },
  };
}

export function buildToolChoice(
  choice: ToolChoice,
  request: ChatRequest,
  dialect: ChatDialect,
): Json {
  const own = isOwn(request);
  switch (choice.mode) {
    case "auto":
    case "none":
    case "required":
      return choice.mode;
    case "named": {
      const { kind } = choice;
      const written = own ? ownName(choice.name) : writtenName(choice.name, kind, dialect);
      const type = !own && standsIn(kind, dialect) ? "function" : kind;
      return { type, [type]: { name: written } };
    }
    case "allowed": {
      const mode = choice.required ? "required" : "auto";
      if (!own && dialect.customTools !== true) return mode;
      const tools = own ? choice.tools : choice.tools.map(allowedTool);
      return { type: "allowed_tools", allowed_tools: { mode, tools } };
    }
  }
}

function allowedTool(tool: JsonObject): JsonObject {
  const kind = tool["type"] === "custom" ? "custom" : "function";
  return { type: kind, [kind]: { name: fitName(nameIn(tool)) } };
}

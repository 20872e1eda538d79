import type { ChatRequest, Tool, ToolChoice } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, objectOf } from "#lib/values.ts";
import { amongAllowed, otherAllowed } from "#styles/text/allowed-tools.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { CHAT, isOwn } from "../raw-fields.ts";
import { asFunction } from "../answer/stand-in.ts";
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
  if (toolChoice?.mode === "allowed") report.loseForeign(toolChoice.extra, CHAT, "tool_choice.");
  // Where a choice among some of the tools cannot be told, only those are shown.
  const shown = dialect.customTools === true ? tools : amongAllowed(tools, toolChoice);
  return shown.map((tool) => buildTool(fitted(tool, dialect), report));
}

/** A function that stands in for a tool of free text cannot be held to the tool's grammar. */
export function losesFormat(request: ChatRequest, dialect: ChatDialect): boolean {
  const { tools = [], toolChoice } = request;
  if (isOwn(request)) return false;
  return amongAllowed(tools, toolChoice).some(
    ({ kind, format }) => standsIn(kind, dialect) && (format?.["type"] ?? "text") !== "text",
  );
}

function fitted(tool: Tool, dialect: ChatDialect): Tool {
  const name = writtenName(tool.name, tool.kind, dialect);
  return standsIn(tool.kind, dialect) ? { ...asFunction(tool), name } : { ...tool, name };
}

function standsIn(kind: Tool["kind"], dialect: ChatDialect): boolean {
  return kind === "custom" && dialect.customTools !== true;
}

/** Of another style's tool. */
export function writtenName(name: string, kind: Tool["kind"], dialect: ChatDialect): string {
  return standsIn(kind, dialect) ? standInName(name) : fitName(name);
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
      const tools = choice.tools.map(({ kind, name }) => ({
        type: kind,
        [kind]: { name: own ? ownName(name) : fitName(name) },
      }));
      const all = [...tools, ...otherAllowed(choice, CHAT)];
      if (all.length === 0)
        throw refuse("tool_choice", "all allowed tools belong to another style.");
      return { type: "allowed_tools", allowed_tools: { mode, tools: all } };
    }
  }
}

import type { ChatRequest, Tool } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf } from "#lib/values.ts";
import { amongAllowed } from "#styles/text/allowed-tools.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { GEMINI } from "./spelling.ts";
import { SEARCH_TOOLS } from "./tool-in.ts";
import { writeToolName } from "./tool-name.ts";

/** Tools of another style's caller: all functions in one element, and each of the vendor's own in its own. */
export function buildTools(
  request: ChatRequest,
  mayMix: boolean,
  report: LossReport,
): readonly JsonObject[] {
  const functions = functionsOf(request);
  const declared = amongAllowed(functions, request.toolChoice).map((tool) =>
    buildDeclaration(tool, report),
  );
  if (request.toolChoice?.mode === "allowed") {
    report.loseForeign(request.toolChoice.extra, GEMINI, "tool_choice.");
  }
  const native = renameSearch(listOf(request.extra?.[GEMINI]?.["tools"])).filter(isObject);
  const search = wantsSearch(request) ? [buildSearch(request, report)] : [];
  const own = [...search, ...native];
  if (declared.length === 0) return own;
  const calls = { functionDeclarations: declared };
  if (mayMix || own.length === 0) return [calls, ...own];
  // Older models refuse the two together, and the caller can search by a function.
  report.lose(search.length > 0 ? "web_search" : "tools");
  return [calls];
}

export function buildToolChoice(request: ChatRequest, report: LossReport): JsonObject | undefined {
  const { toolChoice: choice } = request;
  if (choice === undefined) return undefined;
  if (amongAllowed(functionsOf(request), choice).length === 0) return undefined;
  if (choosesSearch(request)) {
    report.lose("tool_choice");
    return undefined;
  }
  switch (choice.mode) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: [writeToolName(choice.name, choice.kind)] };
    case "allowed":
      // With less than a demand no names can be given: only those tools are declared.
      return choice.required ? { mode: "ANY" } : { mode: "AUTO" };
  }
}

/** The specification's name of the search tool, as the vendor calls it. */
export function renameSearch(tools: readonly Json[]): readonly Json[] {
  return tools.map((tool) => {
    if (!isObject(tool)) return tool;
    const { vendorSearch, vendor_search = vendorSearch, ...rest } = tool;
    return vendor_search === undefined ? tool : { ...rest, googleSearch: vendor_search };
  });
}

const SEARCH_NAMES: ReadonlySet<string> = new Set([...SEARCH_TOOLS, "google_search"]);

/** A function by the name of the search tool asks for the search, not for a function. */
function functionsOf({ tools = [] }: ChatRequest): readonly Tool[] {
  return tools.filter((tool) => !SEARCH_NAMES.has(tool.name));
}

function wantsSearch({ webSearch, tools = [] }: ChatRequest): boolean {
  return webSearch !== undefined || tools.some((tool) => SEARCH_NAMES.has(tool.name));
}

function buildSearch({ webSearch }: ChatRequest, report: LossReport): JsonObject {
  const { contextSize, location, ...limits } = webSearch ?? {};
  if (contextSize !== undefined && contextSize !== "medium") report.lose("web_search.context_size");
  if (location !== undefined) report.lose("web_search.location");
  for (const name of Object.keys(limits)) report.lose(`web_search.${name}`);
  return { googleSearch: {} };
}

function buildDeclaration(tool: Tool, report: LossReport): JsonObject {
  const name = writeToolName(tool.name, tool.kind);
  report.loseForeign(tool.extra, GEMINI, "tools.");
  if (tool.strict === true) report.lose("tools.strict");
  if (tool.format !== undefined) report.lose("tools.format");
  return {
    ...tool.extra?.[GEMINI],
    name,
    ...defined({
      description: tool.description,
      parametersJsonSchema: tool.kind === "custom" ? FREE_TEXT : parametersOf(tool),
    }),
  };
}

const FREE_TEXT: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "All of the tool's input." } },
  required: ["input"],
};

/** A function without parameters has no schema: an object without properties is refused. */
function parametersOf({ parameters }: Tool): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const { properties } = parameters;
  const isEmpty = !isObject(properties) || Object.keys(properties).length === 0;
  const isCombined = ["anyOf", "oneOf", "allOf", "$ref"].some((name) => name in parameters);
  if (isEmpty && !isCombined && !isObject(parameters["additionalProperties"])) return undefined;
  // Arguments are named, so whatever else the schema allows, they are an object.
  return parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
}

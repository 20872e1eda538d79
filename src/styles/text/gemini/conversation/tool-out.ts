import type { ChatRequest, Tool, ToolChoice } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf } from "#lib/values.ts";
import { amongAllowed } from "#styles/text/allowed-tools.ts";
import type { Built } from "#styles/text/request-fields.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { GEMINI } from "../raw-fields.ts";
import { SEARCH_TOOLS } from "./tool-in.ts";
import { writeToolName } from "./tool-name.ts";

/** Tools of another style's caller: all functions in one element, and each of the vendor's own in its own. */
export function buildTools(
  request: ChatRequest,
  mayMix: boolean,
  report: LossReport,
): Built<readonly JsonObject[]> {
  const offered = amongAllowed(functionsOf(request), request.toolChoice);
  const declared = offered.map((tool) => buildDeclaration(tool, report));
  if (request.toolChoice?.mode === "allowed") {
    report.loseForeign(request.toolChoice.extra, GEMINI, "tool_choice.");
  }
  const native = renameSearch(listOf(request.extra?.[GEMINI]?.["tools"])).filter(isObject);
  const search = wantsSearch(request);
  const own = [...(search ? [{ googleSearch: {} }] : []), ...native];
  const lost = [...offered.flatMap(lostOfTool), ...(search ? lostOfSearch(request) : [])];
  if (declared.length === 0) return { members: own, lost };
  const calls = { functionDeclarations: declared };
  if (mayMix || own.length === 0) return { members: [calls, ...own], lost };
  // Older models refuse the two together, and the caller can search by a function.
  return { members: [calls], lost: [...lost, search ? "web_search" : "tools"] };
}

/** How the functions are to be called, if at all. */
export function buildToolChoice(request: ChatRequest): {
  readonly mode?: JsonObject;
  readonly lost?: readonly string[];
} {
  const { toolChoice: choice } = request;
  if (choice === undefined) return {};
  if (amongAllowed(functionsOf(request), choice).length === 0) return {};
  return choosesSearch(request) ? { lost: ["tool_choice"] } : { mode: modeOf(choice) };
}

function modeOf(choice: ToolChoice): JsonObject {
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

function lostOfSearch({ webSearch }: ChatRequest): readonly string[] {
  const { contextSize = "medium", location, ...limits } = webSearch ?? {};
  return [
    ...(contextSize === "medium" ? [] : ["web_search.context_size"]),
    ...(location === undefined ? [] : ["web_search.location"]),
    ...Object.keys(limits).map((name) => `web_search.${name}`),
  ];
}

function lostOfTool({ strict, format }: Tool): readonly string[] {
  return [
    ...(strict === true ? ["tools.strict"] : []),
    ...(format === undefined ? [] : ["tools.format"]),
  ];
}

function buildDeclaration(tool: Tool, report: LossReport): JsonObject {
  const name = writeToolName(tool.name, tool.kind);
  report.loseForeign(tool.extra, GEMINI, "tools.");
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

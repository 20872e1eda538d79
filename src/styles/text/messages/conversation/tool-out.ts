import type { ChatRequest, Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { amongAllowed } from "#styles/text/allowed-tools.ts";
import { preserveOriginal, type Built } from "#styles/text/request-fields.ts";
import { adaptBlock, withVendorMarks } from "./cache.ts";
import type { Output } from "../request/output-out.ts";
import { MESSAGES, rawFieldsOf } from "../raw-fields.ts";
import { parseToolChoice, parseTools } from "./tool-in.ts";
import { fitSchema, hasBounds, isOpen } from "../request/schema-out.ts";
import { writeToolName } from "./tool-name.ts";

export interface Choosing {
  readonly tools?: readonly Json[];
  readonly tool_choice?: Json;
  /** What the choice cannot say of a model that refuses to be made to call. */
  readonly instruction?: string;
  readonly lost?: readonly string[];
}

/** Tools, and which of them to use; neither where there are none. */
export function buildTools(
  request: ChatRequest,
  messages: readonly JsonObject[],
  isThinking: Output["isThinking"],
  { report, model }: Pick<OutboundContext, "report" | "model">,
): Choosing {
  const written = writtenTools(request);
  if (written !== undefined) return { ...written, ...chosen(request, isThinking, model) };

  const own = request.extra?.[MESSAGES] ?? {};
  const isOwn = rawFieldsOf(request) !== undefined;
  const mayBeStrict = strictnessOf(request, model);
  const known = offered(request, report);
  const built = known.members.map((tool) => buildTool(tool, isOwn, report, mayBeStrict));
  const search = buildSearch(request);
  const tools = [
    ...built.map(({ members }) => members),
    ...search.members,
    ...listOf(own["tools"]).map(adaptBlock),
  ];
  const lost = [known, ...built, search].flatMap((each) => each.lost ?? []);
  if (tools.length > 0) {
    const choice = chosen(request, isThinking, model);
    return { tools, ...choice, lost: [...lost, ...(choice.lost ?? [])] };
  }
  const called = calledIn(messages);
  return called.length > 0 ? { tools: called, tool_choice: { type: "none" }, lost } : { lost };
}

/** Also no tools at all are as they were written. */
function writtenTools(request: ChatRequest): Choosing | undefined {
  const { tools = [], webSearch } = request;
  const raw = rawFieldsOf(request);
  if (raw === undefined || !tools.every(isPlainName)) return undefined;
  const meaning = { tools: request.tools, webSearch };
  const written = preserveOriginal<typeof meaning>(raw, ["tools"], meaning, (body) => {
    const { tools: known, webSearch: search } = parseTools(body);
    return { tools: known, webSearch: search };
  });
  const list = written?.["tools"];
  if (list === undefined) return written;
  return { tools: listOf(withVendorMarks("tools", list)) };
}

function isPlainName({ name, kind }: Pick<Tool, "name" | "kind">): boolean {
  return writeToolName(name, kind) === name;
}

/** Where only some may be used, only they are offered. */
function offered(
  { tools = [], toolChoice }: ChatRequest,
  report: LossReport,
): Built<readonly Tool[]> {
  if (toolChoice?.mode !== "allowed") return { members: tools };
  const allowed = amongAllowed(tools, toolChoice);
  const known = new Set(allowed.map(({ name }) => name));
  if (allowed.length === 0) throw refuse("tool_choice", "none of the allowed tools is defined.");
  const isLess = toolChoice.tools.some(({ name }) => !known.has(name));
  report.loseForeign(toolChoice.extra, MESSAGES, "tool_choice.");
  return { members: allowed, lost: isLess ? ["tool_choice.allowed_tools"] : [] };
}

const NO_PARAMETERS = { type: "object", properties: {} };

function buildTool(
  tool: Tool,
  isOwn: boolean,
  report: LossReport,
  mayBeStrict: (schema: JsonObject) => boolean,
): Built<Json> {
  const { kind, name, description, parameters = NO_PARAMETERS } = tool;
  const own = tool.extra?.[MESSAGES];
  report.loseForeign(tool.extra, MESSAGES, "tools.");
  const written = tool.rawFields?.[MESSAGES];
  if (written !== undefined) return { members: adaptBlock(written) };
  if (kind === "custom") return { members: buildTextTool(tool) };
  const schema = parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
  const isStrict = tool.strict === true && !isOwn && mayBeStrict(schema);
  const isHeld = isStrict && !hasBounds(schema);
  const members = adaptBlock({
    ...own,
    name: writeToolName(name, kind),
    ...defined({ description, strict: isOwn ? tool.strict : isStrict || undefined }),
    input_schema: isStrict ? fitSchema(schema) : schema,
  });
  return { members, lost: tool.strict === true && !isOwn && !isHeld ? ["tools.strict"] : [] };
}

/**
 * Whether the vendor can be held to a tool's schema: by a model that is known to
 * enforce formats, for closed objects without optional members, and for few
 * tools at once.
 */
function strictnessOf(
  { tools = [] }: ChatRequest,
  { rules }: ModelTraits,
): (schema: JsonObject) => boolean {
  const enforces = rules !== undefined && rules.formats === undefined;
  const isFew = tools.filter(({ strict }) => strict === true).length <= MAX_STRICT_TOOLS;
  return (schema) => enforces && isFew && !isOpen(schema) && needsAll(schema);
}

const MAX_STRICT_TOOLS = 20;

function needsAll({ properties, required }: JsonObject): boolean {
  const named = Object.entries(objectOf(properties) ?? {});
  const needed = listOf(required);
  return named.every(([name, each]) => needed.includes(name) && needsAll(objectOf(each) ?? {}));
}

/** Free text has to stand in an object; a grammar for it can only be told. */
function buildTextTool({ name, description, format }: Tool): JsonObject {
  const grammar = textOf(
    memberOf(format, "definition") ?? memberOf(memberOf(format, "grammar"), "definition"),
  );
  const told = grammar === undefined ? [] : [`The input must follow this grammar:\n${grammar}`];
  const said = [...(description === undefined ? [] : [description]), ...told];
  return {
    name: writeToolName(name, "custom"),
    ...(said.length === 0 ? {} : { description: said.join("\n\n") }),
    input_schema: {
      type: "object",
      properties: { input: { type: "string", description: "The tool's input, as free text." } },
      required: ["input"],
    },
  };
}

const SEARCHES = { low: 1, medium: 5, high: 10 };

function buildSearch({ webSearch, tools = [] }: ChatRequest): Built<readonly JsonObject[]> {
  if (webSearch === undefined) return { members: [] };
  // Names are unique, and the caller's own tool is the one it can answer for.
  if (tools.some(({ name }) => name === "web_search")) {
    return { members: [], lost: ["web_search_options"] };
  }
  const { contextSize, maxUses, allowedDomains, blockedDomains, location } = webSearch;
  const size = contextSize === undefined ? undefined : SEARCHES[contextSize];
  const isAllowList = allowedDomains !== undefined;
  const tool = {
    type: "web_search_20250305",
    name: "web_search",
    ...defined({
      max_uses: maxUses ?? size,
      allowed_domains: allowedDomains,
      blocked_domains: isAllowList ? undefined : blockedDomains,
      user_location: buildPlace(location),
    }),
  };
  const isLost = isAllowList && blockedDomains !== undefined;
  return { members: [tool], lost: isLost ? ["blocked_domains"] : [] };
}

function buildPlace(location: WebSearch["location"]): JsonObject | undefined {
  return location === undefined ? undefined : { type: "approximate", ...location };
}

function chosen(
  request: ChatRequest,
  isThinking: Output["isThinking"],
  { rules }: ModelTraits,
): Choosing {
  const { toolChoice, parallelToolCalls } = request;
  const meaning: ReturnType<typeof parseToolChoice> = defined({ toolChoice, parallelToolCalls });
  const original = preserveOriginal(
    rawFieldsOf(request),
    ["tool_choice"],
    meaning,
    parseToolChoice,
  );
  const written = original?.["tool_choice"];
  const isFit = toolChoice?.mode !== "named" || isPlainName(toolChoice);
  const choice =
    (isFit ? written : undefined) ??
    buildChoice(request) ??
    request.extra?.[MESSAGES]?.["tool_choice"];
  if (choice === undefined) return {};
  const type = memberOf(choice, "type");
  if (type !== "any" && type !== "tool") return { tool_choice: choice };
  const isForeign = rawFieldsOf(request) === undefined;
  const mayForce = isThinking !== "planned" && (rules?.forcedTools !== false || !isForeign);
  if (mayForce) return { tool_choice: choice };
  // A model that thinks cannot be made to call, but it can be told to.
  const { name, ...rest } = objectOf(choice) ?? {};
  return {
    tool_choice: { ...rest, type: "auto" },
    instruction: callInstruction(name),
    lost: ["tool_choice"],
  };
}

function callInstruction(name: Json | undefined): string {
  const tool = typeof name === "string" ? `the tool ${JSON.stringify(name)}` : "one of the tools";
  return `Answer with a call of ${tool}, and not with words.`;
}

/** One call at a time is part of the choice, whichever that is. */
function buildChoice({ toolChoice, parallelToolCalls }: ChatRequest): JsonObject | undefined {
  const choice = toolChoice === undefined ? undefined : choiceOf(toolChoice);
  if (parallelToolCalls !== false || choice?.["type"] === "none") return choice;
  return { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true };
}

function choiceOf(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case "auto":
    case "none":
      return { type: choice.mode };
    case "required":
      return { type: "any" };
    case "named":
      return { type: "tool", name: writeToolName(choice.name, choice.kind) };
    case "allowed":
      return { type: choice.required ? "any" : "auto" };
  }
}

/** A conversation with calls in it needs their tools, if only to be told not to use them. */
function calledIn(messages: readonly JsonObject[]): readonly JsonObject[] {
  const names = messages
    .flatMap(({ content }) => listOf(content))
    .filter((block) => memberOf(block, "type") === "tool_use")
    .map((block) => textOf(memberOf(block, "name")))
    .filter((name) => name !== undefined);
  return [...new Set(names)].map((name) => ({ name, input_schema: NO_PARAMETERS }));
}

import type { FunctionTool, ToolChoice } from "../engine/conversation.ts";
import { isJsonObject } from "../json.ts";
import { brokenRules, invalid, type BrokenRule } from "./error.ts";
import type { Model } from "./models.ts";
import type { FunctionDeclaration, ToolConfig, ToolMessage } from "./proto/tools.ts";
import { schemaRules } from "./schema-rules.ts";
import { toJsonSchema } from "./to-json-schema.ts";

export interface ToolSettings {
  readonly functions: readonly FunctionTool[];
  readonly choice: ToolChoice;
  readonly searches: boolean;
  readonly runsCode: boolean;
  readonly readsUrls: boolean;
  /** What the vendor's own tools did is told in parts of the answer. */
  readonly showsInvocations: boolean;
}

export function readTools(
  tools: readonly ToolMessage[] = [],
  config: ToolConfig | undefined,
  model: Model,
  root: string,
): ToolSettings {
  const declarations = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const broken = tools.flatMap(({ functionDeclarations = [] }, at) =>
    functionDeclarations.flatMap((each, index) =>
      rulesOf(each, model, `tools[${at}].function_declarations[${index}]`),
    ),
  );
  if (broken.length > 0) throw brokenRules(root, broken);
  checkNames(declarations);

  const functions = declarations.map(readFunction);
  const has = (name: keyof ToolMessage) => tools.some((tool) => tool[name] !== undefined);
  const settings = {
    functions,
    choice: readChoice(config?.functionCallingConfig, functions),
    searches: has("googleSearch"),
    runsCode: has("codeExecution"),
    readsUrls: has("urlContext"),
    showsInvocations: config?.includeServerSideToolInvocations === true,
  };
  if (has("googleSearchRetrieval")) {
    throw invalid(
      "Unable to submit request because google_search_retrieval is not supported; please use google_search field instead.",
    );
  }
  checkMixture(settings, BUILT_IN.some(has), model);
  return settings;
}

const BUILT_IN = [
  "googleSearch",
  "codeExecution",
  "urlContext",
  "fileSearch",
  "googleMaps",
  "computerUse",
] as const satisfies readonly (keyof ToolMessage)[];

/** Up to the second generation the vendor's own tools and the caller's functions exclude each other. */
function checkMixture(settings: ToolSettings, hasBuiltIn: boolean, { generation }: Model): void {
  if (!hasBuiltIn || settings.functions.length === 0) return;
  if (generation !== "3") throw invalid("Tool use with function calling is unsupported");
  if (settings.showsInvocations) return;
  throw invalid(
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
  );
}

function readFunction(declaration: FunctionDeclaration): FunctionTool {
  const { name = "", description = "", parameters, parametersJsonSchema } = declaration;
  const schema = parameters === undefined ? (parametersJsonSchema ?? {}) : toJsonSchema(parameters);
  return { kind: "function", name, description, schema };
}

function rulesOf(
  { name = "", parameters, parametersJsonSchema }: FunctionDeclaration,
  { generation }: Model,
  path: string,
): readonly BrokenRule[] {
  const longest = generation === "3" ? 128 : 64;
  if (!/^[a-z_][\w.:-]*$/i.test(name) || name.length > longest) {
    const reason = `Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of ${longest}.`;
    return [{ path: `${path}.name`, reason }];
  }
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    const reason = "only one of parameters and parameters_json_schema can be set.";
    return [{ path: `${path}.parameters`, reason }];
  }
  if (parametersJsonSchema !== undefined && !isJsonObject(parametersJsonSchema))
    return [{ path: `${path}.parameters_json_schema`, reason: "must be an object." }];
  if (parameters === undefined) return [];
  const { type = "OBJECT" } = parameters;
  return type === "OBJECT"
    ? schemaRules(parameters, `${path}.parameters`)
    : [{ path: `${path}.parameters`, reason: "schema type should be OBJECT" }];
}

function checkNames(declarations: readonly FunctionDeclaration[]): void {
  const seen = new Set<string>();
  for (const { name = "" } of declarations) {
    if (seen.has(name)) throw invalid(`Duplicate function declaration found: ${name}`);
    seen.add(name);
  }
}

function readChoice(
  config: ToolConfig["functionCallingConfig"],
  functions: readonly FunctionTool[],
): ToolChoice {
  const { mode = "AUTO", allowedFunctionNames: only = [] } = config ?? {};
  const isForced = mode === "ANY" || mode === "VALIDATED";
  if (only.length > 0 && !isForced) {
    throw invalid(
      "Allowed function names should be set only when the function calling mode is ANY or VALIDATED.",
    );
  }
  if (isForced && functions.length === 0)
    throw invalid("Function calling config is set without function_declarations.");
  const unknown = only.find((name) => !functions.some((each) => each.name === name));
  if (unknown !== undefined)
    throw invalid(`The allowed function name '${unknown}' is not among the declared functions.`);

  if (functions.length === 0 || mode === "NONE") return { mode: "none" };
  return { mode: mode === "ANY" ? "required" : "auto", ...(only.length === 0 ? {} : { only }) };
}

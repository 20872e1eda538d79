import type { FunctionTool, RequestSpec, Tool, ToolCall, ToolChoice } from "./conversation.ts";
import { generateJson } from "./json-schema/generate.ts";
import { resolveSchema } from "./json-schema/resolve.ts";
import { textFromPattern } from "./json-schema/from-pattern.ts";
import type { Prompt } from "./prompt.ts";
import { readValues, type PromptValues } from "./prompt-values.ts";
import { seededRandom } from "./random.ts";
import { rankTools } from "./tool-ranking.ts";
import { isPlaceField } from "./value-picker.ts";
import { isJsonObject, jsonText } from "../json.ts";

/** The calls a model would make now; none when the tools have just answered, unless one is demanded. */
export function chooseCalls(
  question: RequestSpec,
  prompt: Prompt,
  seed: string,
): readonly ToolCall[] {
  const { choice } = question;
  if (choice.mode === "none") return [];
  if (choice.mode === "auto" && prompt.results.length > 0) return [];

  const tools = toolsFor(question.tools, choice, prompt.gist);
  const calls = tools.flatMap((tool) => callsOf(tool, prompt.text, seed));
  return question.mayCallInParallel ? calls.slice(0, MAX_CALLS) : calls.slice(0, 1);
}

const MAX_CALLS = 16;

function toolsFor(tools: readonly Tool[], choice: ToolChoice, text: string): readonly Tool[] {
  if (choice.mode === "named") return tools.filter((tool) => tool.name === choice.name).slice(0, 1);
  const { only } = choice;
  const offered = only === undefined ? tools : tools.filter((tool) => only.includes(tool.name));
  const matching = rankTools(offered, text);
  return matching.length === 0 && choice.mode === "required" ? offered.slice(0, 1) : matching;
}

/** One call, or one for each place, quotation or number that the user lists. */
function callsOf(tool: Tool, text: string, seed: string): readonly ToolCall[] {
  // The tool's own name is no value for it.
  const values = readValues(text.replaceAll(tool.name, " "));
  if (tool.kind === "custom") {
    return [{ kind: "custom", name: tool.name, input: customInput(tool.pattern, values, seed) }];
  }
  const inputs = variantsOf(tool, values).map((each) =>
    JSON.stringify(
      generateJson(objectSchema(tool), {
        values: each,
        seed: `${seed} ${tool.name}`,
        fill: "needed",
      }),
    ),
  );
  return [...new Set(inputs)].map((input) => ({ kind: "function", name: tool.name, input }));
}

function customInput(pattern: string | undefined, values: PromptValues, seed: string): string {
  const own = values.expressions[0] ?? values.quoted[0] ?? values.text;
  if (pattern === undefined || new RegExp(pattern, "u").test(own)) return own;
  return textFromPattern(pattern, { min: 0, max: 10_000 }, seededRandom(seed)) ?? own;
}

function objectSchema(tool: FunctionTool) {
  return isJsonObject(tool.schema) ? { type: "object", ...tool.schema } : { type: "object" };
}

function variantsOf(tool: FunctionTool, values: PromptValues): readonly PromptValues[] {
  const fields = requiredFields(tool);
  const texts = fields.filter(([, type]) => type === "string");
  const numbers = fields.filter(([, type]) => type === "number" || type === "integer");
  const { places, quoted } = values;

  if (
    texts.filter(([name]) => isPlaceField(name)).length === 1 &&
    new Set(places.map((place) => place.name)).size > 1
  ) {
    return places.map((place) => ({
      ...values,
      places: [place],
      pairs: new Map<string, string>(),
    }));
  }
  if (texts.length === 1 && quoted.length > 1)
    return quoted.map((each) => ({ ...values, quoted: [each] }));
  if (fields.length === 1 && numbers.length === 1 && values.numbers.length > 1) {
    return values.numbers.map((each) => ({ ...values, numbers: [each] }));
  }
  return [values];
}

function requiredFields(tool: FunctionTool): readonly (readonly [string, string])[] {
  const schema = resolveSchema(tool.schema, tool.schema);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return required.map((name) => [
    name,
    jsonText(resolveSchema(properties[name], tool.schema)["type"]),
  ]);
}

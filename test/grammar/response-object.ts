import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

type Check = (value: Json) => boolean;

/**
 * What is wrong with a response object, by the schema that Open Responses has
 * for it: every member present, and of its type. Empty where nothing is.
 */
export function responseObjectFaults(response: Json | undefined): readonly string[] {
  if (!isObject(response)) return ["there is no response object"];
  const faults: string[] = [];
  for (const [name, isRight] of Object.entries(MEMBERS)) {
    const value = response[name];
    if (value === undefined) faults.push(`a response lacks '${name}'`);
    else if (!isRight(value)) faults.push(`a response's '${name}' is ${JSON.stringify(value)}`);
  }
  const isCompleted = response["status"] === "completed";
  if (isCompleted !== (typeof response["completed_at"] === "number")) {
    faults.push("a response's 'completed_at' and its status disagree");
  }
  return [...faults, ...listIn(response["output"]).flatMap(itemFaults)];
}

function itemFaults(item: Json): readonly string[] {
  const type = isObject(item) ? item["type"] : undefined;
  if (!isObject(item) || typeof type !== "string") return ["an output item lacks its type"];
  const members = ITEMS[type] ?? {};
  return Object.entries(members)
    .filter(([name, isRight]) => !isRight(item[name] ?? null))
    .map(([name]) => `a ${type} item's '${name}' is ${JSON.stringify(item[name])}`);
}

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isInteger: Check = (value) => Number.isInteger(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isList: Check = (value) => isArray(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const has =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name] ?? null));

const isTool: Check = (value) =>
  isObject(value) &&
  (value["type"] !== "function" ||
    ["name", "description", "parameters", "strict"].every((name) => value[name] !== undefined));

const isToolChoice: Check = (value) =>
  value === "none" || value === "auto" || value === "required" || has({ type: isText })(value);

const isPart: Check = (value) =>
  isObject(value) &&
  (value["type"] === "output_text"
    ? isText(value["text"] ?? null) && isList(value["annotations"] ?? null)
    : isText(value["type"] ?? null));

const MEMBERS: Readonly<Record<string, Check>> = {
  id: isText,
  object: (value) => value === "response",
  created_at: isInteger,
  completed_at: orNull(isInteger),
  status: isText,
  incomplete_details: orNull(has({ reason: isText })),
  model: isText,
  previous_response_id: orNull(isText),
  instructions: (value) => value === null || typeof value === "string" || isArray(value),
  output: isList,
  error: orNull(has({ code: isText, message: isText })),
  tools: (value) => isArray(value) && value.every(isTool),
  tool_choice: isToolChoice,
  truncation: (value) => value === "auto" || value === "disabled",
  parallel_tool_calls: isFlag,
  text: has({ format: has({ type: isText }) }),
  top_p: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  top_logprobs: isInteger,
  temperature: isNumber,
  reasoning: orNull((value) => isObject(value) && "effort" in value && "summary" in value),
  user: orNull(isText),
  usage: orNull(
    has({
      input_tokens: isInteger,
      output_tokens: isInteger,
      total_tokens: isInteger,
      input_tokens_details: has({ cached_tokens: isInteger }),
      output_tokens_details: has({ reasoning_tokens: isInteger }),
    }),
  ),
  max_output_tokens: orNull(isInteger),
  max_tool_calls: orNull(isInteger),
  store: isFlag,
  background: isFlag,
  service_tier: isText,
  metadata: orNull(isObject),
  safety_identifier: orNull(isText),
  prompt_cache_key: orNull(isText),
};

const ITEMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  message: {
    id: isText,
    status: isText,
    role: isText,
    content: (value) => isArray(value) && value.every(isPart),
  },
  function_call: { id: isText, call_id: isText, name: isText, arguments: isText, status: isText },
  reasoning: { id: isText, summary: isList },
};

function listIn(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** For tests that read a member of a response. */
export function responseIn(event: JsonObject): JsonObject {
  const { response } = event;
  return isObject(response) ? response : {};
}

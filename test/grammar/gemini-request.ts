import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** What a server of this style would refuse a request for, as text. Empty where nothing is. */
export function geminiRequestFaults(body: JsonObject): readonly string[] {
  const contents = objectsIn(body["contents"]);
  const faults = contents.length === 0 ? ["nobody says anything"] : [];
  for (const name of ["model", "messages", "stream"]) {
    if (name in body) faults.push(`'${name}' has no place in the body`);
  }
  const instruction = body["systemInstruction"];
  const all = isObject(instruction) ? [instruction, ...contents] : contents;
  return [
    ...faults,
    ...all.flatMap(contentFaults),
    ...pairFaults(contents),
    ...toolFaults(body),
    ...configFaults(body["generationConfig"]),
  ];
}

function contentFaults(content: JsonObject): readonly string[] {
  const parts = objectsIn(content["parts"]);
  if (parts.length === 0) return ["a content without parts"];
  return parts.flatMap((part) => {
    const faults: string[] = [];
    if (DATA.filter((name) => name in part).length !== 1)
      faults.push(`not one kind of data: ${Object.keys(part).join()}`);
    if (part["text"] === "" && part["thoughtSignature"] === undefined) faults.push("an empty text");
    const called = part["functionCall"];
    if (isObject(called) && (!isName(called["name"]) || !isObject(called["args"])))
      faults.push("a call without a fitting name, or whose arguments are no object");
    const returned = part["functionResponse"];
    if (isObject(returned) && (!isName(returned["name"]) || !isObject(returned["response"])))
      faults.push("a result without a fitting name, or that is no object");
    return faults;
  });
}

/** As many results as calls, in the content after them and in their order; and nobody else's. */
function pairFaults(contents: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  for (const [at, content] of contents.entries()) {
    const calls = namesIn(content, "functionCall");
    const before = contents[at - 1];
    const results = namesIn(content, "functionResponse");
    const asked = before === undefined ? [] : namesIn(before, "functionCall");
    if (JSON.stringify(results) !== JSON.stringify(asked))
      faults.push(`content ${at} does not answer its calls`);
    if (calls.length === 0) continue;
    if (before === undefined || before["role"] === "model")
      faults.push("a call that follows nothing");
    if (at === contents.length - 1) faults.push("the last content calls");
    if (content["role"] !== "model") faults.push("somebody else's call");
  }
  return faults;
}

function toolFaults(body: JsonObject): readonly string[] {
  const tools = objectsIn(body["tools"]);
  const declaring = tools.filter((tool) => "functionDeclarations" in tool);
  const faults = declaring.length > 1 ? ["functions in more than one element"] : [];
  const declared = declaring.flatMap((tool) => objectsIn(tool["functionDeclarations"]));
  if (declaring.length > 0 && declared.length === 0) faults.push("no function in their element");
  for (const { name, parameters, parametersJsonSchema: schema } of declared) {
    if (!isName(name)) faults.push("a declaration without a fitting name");
    if (parameters !== undefined && schema !== undefined) faults.push("two schemas");
    if (schema !== undefined && !(isObject(schema) && schema["type"] === "object"))
      faults.push("arguments that are no object");
  }
  const config = body["toolConfig"];
  const calling = isObject(config) ? config["functionCallingConfig"] : undefined;
  if (isObject(calling)) {
    if (declared.length === 0) faults.push("a choice among no functions");
    const names = isArray(calling["allowedFunctionNames"]) ? calling["allowedFunctionNames"] : [];
    if (names.length > 0 && calling["mode"] !== "ANY" && calling["mode"] !== "VALIDATED")
      faults.push("names without a demand");
  }
  return faults;
}

function configFaults(config: Json | undefined): readonly string[] {
  if (!isObject(config)) return [];
  const faults: string[] = [];
  const thinking = config["thinkingConfig"];
  if (isObject(thinking) && "thinkingBudget" in thinking && "thinkingLevel" in thinking)
    faults.push("a budget and a level");
  if ("responseSchema" in config && "responseJsonSchema" in config) faults.push("two schemas");
  const stops = config["stopSequences"];
  if (isArray(stops) && stops.length > 5) faults.push("too many stop texts");
  return faults;
}

function namesIn(content: JsonObject, kind: string): readonly Json[] {
  return objectsIn(content["parts"]).flatMap((part) => {
    const data = part[kind];
    return isObject(data) ? [data["name"] ?? ""] : [];
  });
}

function isName(value: Json | undefined): boolean {
  return typeof value === "string" && NAME.test(value);
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isArray(list) ? list.filter(isObject) : [];
}

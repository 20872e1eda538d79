import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { NO_LOSS, type BodyEditor } from "#styles/text/body-editor.ts";
import { camelized } from "./names.ts";
import { shortToolName } from "../conversation/tool-name.ts";

/** Whether some tool, offered or called, has a longer name than the model takes. */
export function hasLongNames(body: JsonObject, max: number): boolean {
  const isLong = (named: Json | undefined): boolean =>
    (textOf(memberOf(named, "name"))?.length ?? 0) > max;
  const declares = listOf(body["tools"]).some((tool) => {
    const declared =
      memberOf(tool, "functionDeclarations") ?? memberOf(tool, "function_declarations");
    return listOf(declared).some(isLong);
  });
  // An earlier turn may have called a tool that is not offered any more.
  return (
    declares ||
    listOf(body["contents"]).some((content) =>
      listOf(memberOf(content, "parts")).some(
        (part) =>
          isLong(memberOf(part, "functionCall") ?? memberOf(part, "function_call")) ||
          isLong(memberOf(part, "functionResponse") ?? memberOf(part, "function_response")),
      ),
    )
  );
}

/** Shortens names of tools that are too long, wherever they stand. The answer gets them back. */
export function fitNames(editor: BodyEditor, max: number): void {
  if (!hasLongNames(editor.current, max)) return;
  const body = camelized(editor.current);
  const { tools, toolConfig, contents } = body;
  for (const name of ["tools", "toolConfig", "contents", "tool_config"])
    editor.remove(name, NO_LOSS);
  editor.set(
    "tools",
    listOf(tools).map((tool) => inTool(tool, max)),
    NO_LOSS,
  );
  if (toolConfig !== undefined) editor.set("toolConfig", inConfig(toolConfig, max), NO_LOSS);
  if (contents !== undefined) editor.set("contents", inContents(contents, max), NO_LOSS);
}

function renamed(value: Json | undefined, max: number): Json {
  if (!isObject(value)) return value ?? null;
  const name = textOf(value["name"]);
  return name === undefined ? value : { ...value, name: shortToolName(name, max) };
}

function inTool(tool: Json, max: number): Json {
  const declared = memberOf(tool, "functionDeclarations");
  if (!isObject(tool) || !isArray(declared)) return tool;
  return { ...tool, functionDeclarations: declared.map((each) => renamed(each, max)) };
}

function inConfig(config: Json, max: number): Json {
  const calling = objectOf(memberOf(config, "functionCallingConfig"));
  const names = calling?.["allowedFunctionNames"];
  if (!isObject(config) || calling === undefined || !isArray(names)) return config;
  const allowedFunctionNames = names.map((name) => shortToolName(textOf(name) ?? "", max));
  return { ...config, functionCallingConfig: { ...calling, allowedFunctionNames } };
}

function inContents(contents: Json, max: number): Json {
  return listOf(contents).map((content) => {
    const parts = memberOf(content, "parts");
    if (!isObject(content) || !isArray(parts)) return content;
    return { ...content, parts: parts.map((part) => inPart(part, max)) };
  });
}

function inPart(part: Json, max: number): Json {
  if (!isObject(part)) return part;
  for (const member of ["functionCall", "functionResponse"]) {
    if (isObject(part[member])) return { ...part, [member]: renamed(part[member], max) };
  }
  return part;
}

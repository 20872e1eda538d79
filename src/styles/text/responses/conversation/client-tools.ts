import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

/**
 * A tool that this style names by its type and that the client runs. Other
 * styles get it as a function; its calls come back as items of its own type.
 */
export interface ClientTool {
  readonly description: string;
  readonly parameters: JsonObject;
  /** Types of the items for a call and for its result. */
  readonly callType: string;
  readonly resultType: string;
  readonly idPrefix: string;
  /** Arguments of the function, from the item of a call. */
  readArguments(item: JsonObject): JsonObject;
  /** Members of the item of a call, from the arguments of the function. */
  buildCall(args: JsonObject): JsonObject;
  /** What the client returned, as text for a model. */
  readResult(item: JsonObject): string;
  /** Members of a result that tells of a failure. */
  buildFailure(text: string): JsonObject;
}

const TEXT = { type: "string" };
const INTEGER = { type: "integer" };

const SHELL: ClientTool = {
  description: "Runs shell commands in the user's environment and returns their output.",
  parameters: {
    type: "object",
    properties: {
      commands: { type: "array", items: TEXT, description: "Commands, run in this order." },
      timeout_ms: { ...INTEGER, description: "Maximum wall-clock time in milliseconds." },
      max_output_length: { ...INTEGER, description: "Maximum number of characters to return." },
    },
    required: ["commands"],
  },
  callType: "shell_call",
  resultType: "shell_call_output",
  idPrefix: "sh_",
  readArguments: ({ action }) => withoutNulls(objectOf(action) ?? {}),
  buildCall: (args) => ({
    action: {
      commands: textsOf(args["commands"] ?? args["command"]),
      timeout_ms: integerOf(args["timeout_ms"]) ?? null,
      max_output_length: integerOf(args["max_output_length"]) ?? null,
    },
    environment: { type: "local" },
  }),
  readResult: ({ output }) =>
    typeof output === "string" ? output : listOf(output).map(textOfRun).join("\n"),
  buildFailure: (text) => ({
    output: [{ stdout: "", stderr: text, outcome: { type: "exit", exit_code: 1 } }],
  }),
};

const LOCAL_SHELL: ClientTool = {
  description: "Runs one command in the user's local shell and returns its output.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "array", items: TEXT, description: "The program and its arguments." },
      working_directory: { ...TEXT, description: "Directory to run the command in." },
      timeout_ms: { ...INTEGER, description: "Maximum wall-clock time in milliseconds." },
      env: { type: "object", additionalProperties: TEXT, description: "Environment variables." },
    },
    required: ["command"],
  },
  callType: "local_shell_call",
  resultType: "local_shell_call_output",
  idPrefix: "lsh_",
  readArguments({ action }) {
    const { type: _, ...args } = objectOf(action) ?? {};
    return withoutNulls(args);
  },
  buildCall: (args) => ({
    action: {
      type: "exec",
      command: textsOf(args["command"] ?? args["commands"]),
      env: objectOf(args["env"]) ?? {},
      ...defined({
        timeout_ms: integerOf(args["timeout_ms"]),
        user: textOf(args["user"]),
        working_directory: textOf(args["working_directory"]),
      }),
    },
  }),
  readResult: ({ output }) => textOf(output) ?? JSON.stringify(output ?? ""),
  buildFailure: (text) => ({ output: text }),
};

const OPERATIONS = ["create_file", "update_file", "delete_file"];

const APPLY_PATCH: ClientTool = {
  description:
    "Creates, updates or deletes one file. `diff` is needed unless the file is deleted. For a new " +
    "file, each line of `diff` begins with `+`. For an update, `diff` has hunks that begin with a " +
    "line `@@`, optionally followed by a line of the file to search for; in a hunk, context lines " +
    "begin with a space, removed lines with `-` and added lines with `+`.",
  parameters: {
    type: "object",
    properties: {
      type: { type: "string", enum: OPERATIONS },
      path: { ...TEXT, description: "Path of the file." },
      diff: { ...TEXT, description: "What to change." },
    },
    required: ["type", "path"],
  },
  callType: "apply_patch_call",
  resultType: "apply_patch_call_output",
  idPrefix: "apc_",
  readArguments: ({ operation }) => objectOf(operation) ?? {},
  buildCall(args) {
    const type = textOf(args["type"]) ?? "update_file";
    const path = textOf(args["path"]) ?? "";
    if (type === "delete_file") return { operation: { type, path } };
    return { operation: { type, path, diff: textOf(args["diff"]) ?? "" } };
  },
  readResult({ status, output }) {
    const text = textOf(output) ?? "";
    if (status === "failed") return text === "" ? "Error: the patch failed." : `Error: ${text}`;
    return text === "" ? "Done." : text;
  },
  buildFailure: (text) => ({ status: "failed", output: text }),
};

/** By the type that declares the tool, which is also the name of the function. */
const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  ["shell", SHELL],
  ["local_shell", LOCAL_SHELL],
  ["apply_patch", APPLY_PATCH],
]);

/** `undefined` for other tools, and for a shell in a container that the vendor runs. */
export function clientToolOf(wire: JsonObject): ClientTool | undefined {
  const place = textOf(memberOf(wire["environment"], "type")) ?? "local";
  return place === "local" ? CLIENT_TOOLS.get(textOf(wire["type"]) ?? "") : undefined;
}

const BY_CALL = new Map<Json | undefined, readonly [string, ClientTool]>();
const BY_RESULT = new Map<Json | undefined, ClientTool>();
for (const [name, tool] of CLIENT_TOOLS) {
  BY_CALL.set(tool.callType, [name, tool]);
  BY_RESULT.set(tool.resultType, tool);
}

/** The tool that an item calls, with its name; a call into a vendor's container is none. */
export function clientCallIn(item: JsonObject): readonly [string, ClientTool] | undefined {
  const place = textOf(memberOf(item["environment"], "type")) ?? "local";
  return place === "local" ? BY_CALL.get(item["type"]) : undefined;
}

export function clientResultIn({ type }: JsonObject): ClientTool | undefined {
  return BY_RESULT.get(type);
}

/** The item's types for a call and its result, of each tool. */
export const CLIENT_CALL_TYPES: readonly (readonly [string, string])[] = [
  ...CLIENT_TOOLS.values(),
].map(({ callType, resultType }) => [callType, resultType]);

/** Arguments that are no object say nothing, and so nothing is run. */
export function readClientArguments(text: string): JsonObject {
  const json = parseExactJson(text);
  return isObject(json) ? json : {};
}

function withoutNulls(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept);
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return listOf(value).filter((one) => typeof one === "string");
}

function textOfRun(run: Json): string {
  const outcome = memberOf(run, "outcome");
  const code = integerOf(memberOf(outcome, "exit_code"));
  const end =
    memberOf(outcome, "type") === "timeout"
      ? "[timed out]"
      : code === undefined || code === 0
        ? ""
        : `[exit code ${code}]`;
  const said = [textOf(memberOf(run, "stdout")), textOf(memberOf(run, "stderr")), end];
  return said.filter((text) => text !== undefined && text !== "").join("\n");
}

import type { FunctionTool, Tool } from "@sluice/sandbox/engine/conversation.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import {
  field,
  readBoolean,
  readList,
  readObject,
  readText,
  required,
  type FieldValue,
} from "../fields.ts";
import { checkStrictSchema } from "../strict-schema.ts";
import { readCustom, readDescription, readName } from "../tools.ts";
import { HOSTED_TOOLS, readWebSearch } from "./hosted-tools.ts";
import { closedSchema } from "./closed-schema.ts";
import { refuseUnknown } from "../unknown-parameters.ts";

/** What the model may call, and how the vendor repeats it. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  readonly echo: readonly Json[];
  /** The namespace of a tool that has one, by the tool's name. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** The types of the vendor's own tools. */
  readonly hosted: readonly string[];
}

export function readToolOffer(body: JsonObject): ToolOffer {
  const offers = readToolList(field(body, "tools"));
  const all = [...offers, ...addedOffers(body["input"])];
  return {
    tools: all.flatMap((offer) => offer.tools),
    echo: offers.map((offer) => offer.echo),
    namespaces: new Map(
      all.flatMap(({ namespace, tools }) =>
        namespace === undefined ? [] : tools.map((tool) => [tool.name, namespace] as const),
      ),
    ),
    hosted: all.flatMap(({ hosted }) => (hosted === undefined ? [] : [hosted])),
  };
}

function readToolList(tools: FieldValue): readonly Offer[] {
  const list = readList(tools, 0, 128) ?? [];
  return list.map((value, index) => {
    const path = `${tools.path}[${index}]`;
    return readTool(required({ path, value }, readObject({ path, value })), path);
  });
}

/** Items of the input may add tools to those of the request. */
function addedOffers(input: Json | undefined): readonly Offer[] {
  if (!isJsonArray(input)) return [];
  return input.flatMap((item, index) =>
    isJsonObject(item) && item["type"] === "additional_tools"
      ? readToolList(field(item, "tools", `input[${index}].tools`))
      : [],
  );
}

interface Offer {
  readonly tools: readonly Tool[];
  readonly echo: JsonObject;
  readonly namespace?: string;
  readonly hosted?: string;
}

function readTool(tool: JsonObject, path: string): Offer {
  const typeField = field(tool, "type", `${path}.type`);
  const type = required(typeField, readText(typeField));
  switch (type) {
    case "function":
      return readFunction(tool, path);
    case "custom":
      return {
        tools: [readCustom(withFlatFormat(tool), path)],
        echo: {
          ...tool,
          description: tool["description"] ?? null,
          format: tool["format"] ?? { type: "text" },
        },
      };
    case "namespace":
      return readNamespace(tool, path);
    case "web_search":
    case "web_search_2025_08_26":
    case "web_search_preview":
    case "web_search_preview_2025_03_11":
      return { tools: [], echo: readWebSearch(tool, type, path), hosted: type };
  }
  const hosted = Object.hasOwn(HOSTED_TOOLS, type) ? HOSTED_TOOLS[type] : undefined;
  if (hosted === undefined) throw unknownType(type, path);
  hosted(tool, path);
  return { tools: [], echo: tool, hosted: type };
}

function unknownType(type: string, path: string): Error {
  return new ApiError(400, {
    message: `Invalid value: '${type}'. Supported values are: ${[...TYPES, ...Object.keys(HOSTED_TOOLS)].map((each) => `'${each}'`).join(", ")}.`,
    param: `${path}.type`,
    code: "invalid_value",
  });
}

const TYPES: readonly string[] = [
  "function",
  "custom",
  "namespace",
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
];

/** Here a grammar stands in the format itself, and not in an object of its own. */
function withFlatFormat(tool: JsonObject): JsonObject {
  const { format } = tool;
  return isJsonObject(format) && format["type"] === "grammar"
    ? { ...tool, format: { ...format, grammar: format } }
    : tool;
}

function readFunction(tool: JsonObject, path: string): Offer {
  const name = readName(tool, path);
  refuseUnknown(
    tool,
    [
      "type",
      "name",
      "description",
      "parameters",
      "strict",
      "output_schema",
      "defer_loading",
      "allowed_callers",
      "async",
    ],
    path,
  );
  const description = readDescription(tool, path);
  const parameters = readObject(field(tool, "parameters", `${path}.parameters`)) ?? null;
  const asked = readBoolean(field(tool, "strict", `${path}.strict`));
  const closed = closedSchema(parameters ?? { type: "object", properties: {} });
  if (asked === true) {
    checkStrictSchema(parameters ?? {}, {
      label: `function '${name}'`,
      param: `${path}.parameters`,
      code: "invalid_function_parameters",
    });
  }
  // Unlike chat, where a schema is loose unless told: here it is strict where it can be.
  const strict = asked ?? closed !== undefined;
  const schema = strict && closed !== undefined ? closed : parameters;
  const callable: FunctionTool = { kind: "function", name, description, schema: schema ?? {} };
  return {
    tools: [callable],
    echo: {
      type: "function",
      description: description === "" ? null : description,
      name,
      output_schema: tool["output_schema"] ?? null,
      parameters: schema,
      strict,
    },
  };
}

function readNamespace(tool: JsonObject, path: string): Offer {
  const name = readName(tool, path);
  const inner = field(tool, "tools", `${path}.tools`);
  const list = required(inner, readList(inner, 1, 128));
  const offers = list.map((value, index) => {
    const place = `${path}.tools[${index}]`;
    return readTool(required({ path: place, value }, readObject({ path: place, value })), place);
  });
  return {
    tools: offers.flatMap((offer) => offer.tools),
    echo: { ...tool, tools: offers.map((offer) => offer.echo) },
    namespace: name,
  };
}

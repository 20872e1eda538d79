import type { Json, JsonObject } from "../json.ts";
import { readImageSource } from "./block-sources.ts";
import type { Block, BlockContent } from "./blocks.ts";
import { readCacheControl } from "./cache-control.ts";
import { readDocument, readSearchResult } from "./document-blocks.ts";
import { invalid } from "./error.ts";
import {
  field,
  readId,
  readObject,
  readTagged,
  readText,
  refuseExtras,
  required,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";
import { readResult } from "./result-blocks.ts";
import { readServerCall, readServerResult, SERVER_RESULTS } from "./server-blocks.ts";
import { readTextBlock } from "./text-blocks.ts";

/** One block of a message's content, with every field checked. */
export function readBlock(
  value: Json,
  path: string,
  role: "user" | "assistant",
  betas: Betas,
): Block {
  const { object, tag, path: at } = readTagged({ path, value }, TAGS);
  const where = ONLY[tag];
  if (where !== undefined && where !== role)
    throw invalid(message(path), `\`${tag}\` blocks can only be in \`${where}\` messages`);

  const content = readContent(tag, object, at, betas);
  // A thought cannot be cached by itself, so for it the field is none of the known ones.
  const isThought = tag === "thinking" || tag === "redacted_thinking";
  return {
    path,
    raw: object,
    cache: isThought ? undefined : readCacheControl(object, at),
    ...content,
  };
}

function message(blockPath: string): string {
  return blockPath.slice(0, blockPath.indexOf(".content"));
}

const TAGS = [
  "container_upload",
  "document",
  "image",
  "redacted_thinking",
  "search_result",
  "server_tool_use",
  "text",
  "thinking",
  "tool_result",
  "tool_use",
  ...SERVER_RESULTS,
] as const;

type Tag = (typeof TAGS)[number];

const ONLY: Readonly<Partial<Record<Tag, "user" | "assistant">>> = {
  container_upload: "user",
  image: "user",
  search_result: "user",
  tool_result: "user",
  redacted_thinking: "assistant",
  server_tool_use: "assistant",
  thinking: "assistant",
  tool_use: "assistant",
};

function readContent(tag: Tag, object: JsonObject, at: string, betas: Betas): BlockContent {
  switch (tag) {
    case "text":
      return { kind: "text", text: readTextBlock(object, at) };
    case "image":
      refuseExtras(object, ["type", "source", "cache_control", "transformations"], at);
      return { kind: "image", media: readImageSource(object, at, betas) };
    case "document":
      return { kind: "document", document: readDocument(object, at, betas) };
    case "search_result":
      return { kind: "search_result", document: readSearchResult(object, at) };
    case "thinking":
      refuseExtras(object, ["type", "thinking", "signature"], at);
      return {
        kind: "thinking",
        seal: {
          shown: required(field(object, "thinking", at), readText),
          token: required(field(object, "signature", at), readText),
        },
      };
    case "redacted_thinking":
      refuseExtras(object, ["type", "data"], at);
      return {
        kind: "redacted_thinking",
        seal: { shown: "", token: required(field(object, "data", at), readText) },
      };
    case "tool_use":
      return readCall(object, at);
    case "tool_result":
      return readResult(object, at, betas);
    case "server_tool_use":
      return readServerCall(object, at);
    case "container_upload":
      refuseExtras(object, ["type", "file_id", "cache_control"], at);
      return { kind: "upload", fileId: required(field(object, "file_id", at), readText) };
    default:
      return readServerResult(tag, object, at);
  }
}

function readCall(object: JsonObject, at: string): BlockContent {
  refuseExtras(
    object,
    ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
    at,
  );
  return {
    kind: "call",
    id: readId(object, "id", at),
    name: required(field(object, "name", at), (each) => readText(each, 200)),
    input: required(field(object, "input", at), readObject),
  };
}

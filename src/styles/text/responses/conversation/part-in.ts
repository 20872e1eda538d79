import type { Block, Citation } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, textOf } from "#lib/values.ts";
import { sourceOf } from "#styles/text/media.ts";
import { readBreakpoint } from "#styles/text/prompt-cache.ts";
import { parseCitation } from "./citation.ts";
import { RESPONSES } from "../raw-fields.ts";

/**
 * One part of what is said or returned. A type that is not known here stays as
 * it is, and what was written stays beside what was understood.
 */
export function parsePart(part: JsonObject): Block {
  const parsed = understand(part) ?? { type: "other", style: RESPONSES, data: part };
  if (parsed.type === "other") return parsed;
  return {
    ...parsed,
    ...defined({ cache: readBreakpoint(part) }),
    extra: { [RESPONSES]: { part } },
  };
}

export function understand(part: JsonObject): Block | undefined {
  switch (part["type"]) {
    case "input_text":
    case "text":
      return { type: "text", text: textOf(part["text"]) ?? "" };
    case "output_text":
      return parseOutputText(part);
    case "refusal":
      return { type: "refusal", text: textOf(part["refusal"]) ?? "" };
    case "input_image":
      return parseMedia("image", part["file_id"], part["image_url"], {
        detail: textOf(part["detail"]),
      });
    case "input_file":
      return parseMedia("file", part["file_id"], part["file_data"] ?? part["file_url"], {
        filename: textOf(part["filename"]),
      });
    case "input_audio":
      return parseMedia("audio", undefined, memberOf(part["input_audio"], "data"), {
        mediaType: textOf(memberOf(part["input_audio"], "format")),
      });
    default:
      return undefined;
  }
}

function parseOutputText(part: JsonObject): Block {
  const citations: readonly Citation[] = listOf(part["annotations"])
    .map(parseCitation)
    .filter((citation) => citation !== undefined);
  return {
    type: "text",
    text: textOf(part["text"]) ?? "",
    ...(citations.length === 0 ? {} : { citations }),
  };
}

interface MediaFacts {
  readonly detail?: string | undefined;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
}

function parseMedia(
  type: "image" | "file" | "audio",
  fileId: unknown,
  content: unknown,
  facts: MediaFacts,
): Block | undefined {
  if (typeof fileId === "string" && fileId !== "") {
    return { type, source: { kind: "reference", id: fileId }, ...defined({ ...facts }) };
  }
  if (typeof content !== "string" || content === "") return undefined;
  return { type, ...defined({ ...facts }), ...sourceOf(content) };
}

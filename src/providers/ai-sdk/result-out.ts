import type {
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import type { Block, MediaBlock, ToolResultBlock } from "#core/chat.ts";
import { textOf } from "#lib/values.ts";
import { isMedia } from "#styles/text/media.ts";
import { dataOf, mediaTypeOf } from "./file-out.ts";
import type { Place } from "./place.ts";

type Output = LanguageModelV3ToolResultPart["output"];
type Part = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];

export function buildOutput({ blocks, isError }: ToolResultBlock, at: Place): Output {
  const hasRoom = at.traits.resultsAreText !== true;
  if (!hasRoom || !blocks.some(isMedia)) {
    const said = blocks
      .filter((block) => !isMedia(block))
      .map((block) => spoken(block, at))
      .join("\n\n");
    const text = said === "" && !hasRoom && blocks.some(isMedia) ? SHOWN_BEHIND : said;
    return isError === true
      ? { type: "error-text", value: marked(text) }
      : { type: "text", value: text };
  }
  const parts = blocks.flatMap((block): readonly Part[] => {
    if (isMedia(block)) return [mediaPart(block, at)];
    const text = spoken(block, at);
    return text === "" ? [] : [{ type: "text", text }];
  });
  const failure: readonly Part[] =
    isError === true ? [{ type: "text", text: "Error: the tool failed." }] : [];
  return { type: "content", value: [...failure, ...parts] };
}

const SHOWN_BEHIND = "The result is shown in the next message.";

/** Not every package tells its vendor that a tool failed, but the model must be able to see it. */
function marked(text: string): string {
  return text.toLowerCase().startsWith("error") ? text : `Error: ${text}`;
}

function spoken(block: Block, { report }: Place): string {
  if ("text" in block) return block.text;
  if (block.type === "other") {
    report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
  }
  return "";
}

function mediaPart(block: MediaBlock, at: Place): Part {
  const data = dataOf(block, at);
  const mediaType = mediaTypeOf(block);
  const isImage = block.type === "image";
  if (typeof data !== "string") {
    return isImage
      ? { type: "image-url", url: data.href }
      : { type: "file-url", url: data.href, mediaType };
  }
  if (isImage) return { type: "image-data", data, mediaType };
  const { filename } = block;
  return { type: "file-data", data, mediaType, ...(filename === undefined ? {} : { filename }) };
}

import type {
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import type { MediaBlock, ToolResultBlock } from "#core/chat.ts";
import { AS_READ, blockWriter, BY_KIND, type WrittenBlock } from "#styles/text/block-table.ts";
import { isMedia } from "#styles/text/media.ts";
import { dataOf, mediaTypeOf } from "./file-out.ts";
import type { Place } from "./place.ts";

type Output = LanguageModelV3ToolResultPart["output"];
type Part = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];

/** A mark inside a result stands for one at its end. */
const IN_RESULT = { unreported: "it is reported with the result" } as const;

export function buildOutput({ blocks, isError }: ToolResultBlock, at: Place): Output {
  const hasRoom = at.traits.resultsAreText !== true;
  if (!hasRoom || !blocks.some(isMedia)) {
    const said = blocks
      .filter((block) => !isMedia(block))
      .map((block) => wordsOf(resultParts.write(block, at)))
      .join("\n\n");
    const text = said === "" && !hasRoom && blocks.some(isMedia) ? SHOWN_BEHIND : said;
    return isError === true
      ? { type: "error-text", value: marked(text) }
      : { type: "text", value: text };
  }
  const parts = blocks
    .map((block) => resultParts.write(block, at))
    .filter((part) => part !== undefined)
    .filter((part) => part.type !== "text" || part.text !== "");
  const failure: readonly Part[] =
    isError === true ? [{ type: "text", text: "Error: the tool failed." }] : [];
  return { type: "content", value: [...failure, ...parts] };
}

const SHOWN_BEHIND = "The result is shown in the next message.";

function wordsOf(part: Part | undefined): string {
  return part?.type === "text" ? part.text : "";
}

/** Not every package tells its vendor that a tool failed, but the model must be able to see it. */
function marked(text: string): string {
  return text.toLowerCase().startsWith("error") ? text : `Error: ${text}`;
}

function buildText({ text }: { readonly text: string }): Part {
  return { type: "text", text };
}

const WORDS = { cache: IN_RESULT, text: "written", extra: AS_READ } as const;
const SHOWN: WrittenBlock<MediaBlock, Place, Part> = {
  members: {
    source: "written",
    mediaType: "written",
    filename: "written",
    cache: IN_RESULT,
    detail: { unreported: "packages say it of users' pictures only" },
    transcript: { unreported: "the sound itself is sent" },
    extra: AS_READ,
  },
  build: mediaPart,
};

/** Writes the blocks of a result. */
const resultParts = blockWriter<Place, Part>({
  text: {
    members: {
      ...WORDS,
      citations: { unreported: "sources of a tool's own words are part of them" },
    },
    build: buildText,
  },
  refusal: { members: WORDS, build: buildText },
  reasoning: {
    members: { ...WORDS, signature: { unreported: "a tool's words prove nothing" } },
    build: buildText,
  },
  tool_call: { elsewhere: "results hold no calls" },
  tool_result: { elsewhere: "results hold no results" },
  image: SHOWN,
  audio: SHOWN,
  video: SHOWN,
  file: SHOWN,
  other: { lost: BY_KIND },
});

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

import type {
  JSONObject,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { Block, BlockKinds, MediaBlock, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import {
  AS_READ,
  blockWriter,
  BY_KIND,
  LOST_CACHE,
  LOST_DETAIL,
  type WrittenBlock,
} from "#styles/text/block-table.ts";
import { memberReporter } from "#styles/text/member-table.ts";
import { inputOf } from "#styles/text/messages/conversation/call-input.ts";
import { writeToolName } from "#styles/text/messages/conversation/tool-name.ts";
import { lifeOf } from "#styles/text/prompt-cache.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import { buildFile } from "./file-out.ts";
import type { Place } from "./place.ts";
import { writeProof } from "./proof.ts";

export type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type User = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type Words = BlockKinds["text" | "refusal"];

const isMarked = ({ traits }: Place): boolean => traits.cache !== undefined;
const isBlank = ({ text }: Words): boolean => text.trim() === "";

/** Not every package has words for a caching mark. */
const CACHE = {
  ...LOST_CACHE,
  unless: (_: unknown, __: unknown, at: Place): boolean => isMarked(at),
};
const CACHE_OF_WORDS = {
  ...LOST_CACHE,
  unless: (_: unknown, block: Words, at: Place): boolean => isBlank(block) || isMarked(at),
};

function buildWords(block: Words, at: Place): LanguageModelV3TextPart | undefined {
  return isBlank(block) ? undefined : { type: "text", text: block.text, ...markOf(block, at) };
}

/** Both sides say them alike. */
const WORDS: {
  readonly text: WrittenBlock<BlockKinds["text"], Place, LanguageModelV3TextPart>;
  readonly refusal: WrittenBlock<BlockKinds["refusal"], Place, LanguageModelV3TextPart>;
} = {
  text: {
    members: {
      cache: CACHE_OF_WORDS,
      text: "written",
      citations: { unreported: "packages have no sources of what was said" },
      extra: AS_READ,
    },
    build: buildWords,
  },
  refusal: {
    members: { cache: CACHE_OF_WORDS, text: "written", extra: AS_READ },
    build: buildWords,
  },
};

const USERS_FILE: WrittenBlock<MediaBlock, Place, User> = {
  members: {
    cache: CACHE,
    detail: {
      ...LOST_DETAIL,
      unless: (detail, _, { traits }) => LOST_DETAIL.unless(detail) || traits.detail !== undefined,
    },
    source: "written",
    mediaType: "written",
    filename: "written",
    transcript: { unreported: "the sound itself is sent" },
    extra: AS_READ,
  },
  build(block, at) {
    const { key } = at.traits;
    const { [key]: cached } = markOf(block, at).providerOptions ?? {};
    const own = { ...cached, ...detailOf(block, at) };
    const isPlain = Object.keys(own).length === 0;
    return { ...buildFile(block, at), ...(isPlain ? {} : { providerOptions: { [key]: own } }) };
  },
};

function detailOf({ detail }: MediaBlock, { traits }: Place): JSONObject {
  const isUsual = detail === undefined || LOST_DETAIL.unless(detail);
  return isUsual ? {} : (traits.detail?.(detail) ?? {});
}

const NO_INSTRUCTION = { elsewhere: "instructions are words" } as const;

/** Writes instructions at the head of a conversation. */
export const instructionParts = blockWriter<Place, LanguageModelV3TextPart>({
  text: WORDS.text,
  refusal: NO_INSTRUCTION,
  reasoning: NO_INSTRUCTION,
  tool_call: NO_INSTRUCTION,
  tool_result: NO_INSTRUCTION,
  image: NO_INSTRUCTION,
  audio: NO_INSTRUCTION,
  video: NO_INSTRUCTION,
  file: NO_INSTRUCTION,
  other: NO_INSTRUCTION,
});

/** Writes a user's blocks. */
export const userParts = blockWriter<Place, User>({
  ...WORDS,
  reasoning: { elsewhere: "users do not reason" },
  tool_call: { elsewhere: "users call no tools" },
  tool_result: { elsewhere: "results are messages of their own" },
  image: USERS_FILE,
  audio: USERS_FILE,
  video: USERS_FILE,
  file: USERS_FILE,
  other: { lost: BY_KIND },
});

const SHOWN: WrittenBlock<MediaBlock, Place, Assistant> = {
  members: {
    source: "written",
    mediaType: "written",
    filename: "written",
    transcript: "written",
    cache: { unreported: "packages mark no files of assistants" },
    detail: { unreported: "it says how users' pictures are looked at" },
    extra: AS_READ,
  },
  fits: ({ transcript }, { traits }) => traits.takesShown === true || transcript !== undefined,
  build: (block, at) =>
    at.traits.takesShown === true
      ? buildFile(block, at)
      : { type: "text", text: block.transcript ?? "" },
};

/** Writes a model's blocks. */
export const assistantParts = blockWriter<Place, Assistant>({
  ...WORDS,
  reasoning: {
    members: {
      text: "written",
      signature: "written",
      cache: { unreported: "packages mark no reasoning" },
      extra: AS_READ,
    },
    fits: ({ text, signature }, { traits }) =>
      writeProof(signature, traits) !== undefined ||
      (traits.needsProof !== true && traits.dropsReasoning !== true && text !== ""),
    build({ text, signature }, { traits }) {
      const proof = writeProof(signature, traits);
      return { type: "reasoning", text, ...(proof && { providerOptions: proof }) };
    },
  },
  tool_call: {
    members: {
      cache: {
        ...LOST_CACHE,
        unless: (_, { signature }, at) =>
          isMarked(at) || writeProof(signature, at.traits) !== undefined,
      },
      id: "written",
      name: "written",
      arguments: "written",
      kind: "written",
      signature: "written",
      extra: AS_READ,
    },
    build: buildCall,
  },
  tool_result: { elsewhere: "models return no results" },
  image: SHOWN,
  audio: SHOWN,
  video: SHOWN,
  file: SHOWN,
  other: { lost: BY_KIND },
});

function buildCall(block: ToolCallBlock, at: Place): Assistant {
  const proof = writeProof(block.signature, at.traits);
  return {
    type: "tool-call",
    toolCallId: block.id,
    toolName: writeToolName(block.name, block.kind, MAX_TOOL_NAME),
    input: inputOf(block.arguments, block.kind),
    ...(proof === undefined ? markOf(block, at) : { providerOptions: proof }),
  };
}

/** Reports the losses of a result, apart from those of its blocks. */
export const reportResult = memberReporter<ToolResultBlock, Place>({
  cache: CACHE,
  // A mark inside it stands for one at its end.
  blocks: {
    ...LOST_CACHE,
    unless: (_, block, at) => lifeOf(block) === undefined || isMarked(at),
  },
  callId: "written",
  name: "written",
  isError: "written",
  extra: AS_READ,
});

/** A package's own words for a caching mark, where it has any. */
export function markOf(
  { cache }: Pick<Block, "cache">,
  { traits }: Place,
): { readonly providerOptions?: SharedV3ProviderOptions } {
  if (cache === undefined || traits.cache === undefined) return {};
  return { providerOptions: { [traits.key]: traits.cache(cache) } };
}

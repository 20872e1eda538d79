import type { Media } from "../engine/media.ts";
import { countTokens } from "../engine/tokens.ts";
import type { Block, Document } from "./blocks.ts";
import type { CacheTtl } from "./cache-control.ts";
import type { PromptRequest } from "./request.ts";
import { openAnswer } from "./thinking-rules.ts";

/** A part of the prompt in the order in which it is read: tools, system, messages. */
export interface Segment {
  /** The parts that a cache compares. */
  readonly text: string;
  readonly tokens: number;
  /** Of a thought that is not read again. */
  readonly forgottenTokens: number;
  /** Set where the prompt may be cached up to here. */
  readonly cache: CacheTtl | undefined;
  readonly block: Block | undefined;
}

/** Exported so that a test can foretell the numbers. */
export function promptSegments(prompt: PromptRequest): readonly Segment[] {
  const { tools, system, turns, choice, autoCache } = prompt;
  const toolsPrompt =
    choice.mode === "required" || choice.mode === "named" ? FORCED_TOOLS : FREE_TOOLS;
  const toolSegments = tools.map(({ raw, cache }, index): Segment => {
    const text = withoutCache(raw);
    const own = countTokens(text);
    const tokens = index === 0 ? own + toolsPrompt : own;
    return { text, tokens, forgottenTokens: 0, cache, block: undefined };
  });
  const systemSegments = system.map((block) => segmentOf(block, "system", 0, false));

  const firstKept = firstThoughtKept(prompt);
  const messageSegments = turns.flatMap(({ role, blocks }, turn) =>
    blocks.map((block, index) =>
      segmentOf(block, role, index === 0 ? PER_TURN : 0, isThought(block) && turn < firstKept),
    ),
  );
  const all = [...toolSegments, ...systemSegments, ...messageSegments];
  const last = all.at(-1);
  if (autoCache === undefined || last === undefined) return all;
  return [...all.slice(0, -1), { ...last, cache: autoCache }];
}

export function totalTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, PER_REQUEST);
}

function isThought(block: Block): boolean {
  return block.kind === "thinking" || block.kind === "redacted_thinking";
}

const PER_REQUEST = 4;
const PER_TURN = 3;
/** The vendor's instructions to the model about tools. */
const FREE_TOOLS = 346;
const FORCED_TOOLS = 313;

/** Thoughts of answers that were finished are not read again, unless an edit of the context keeps them. */
function firstThoughtKept({ turns, edits }: PromptRequest): number {
  const open = openAnswer(turns);
  const edit = edits?.find((each) => each.kind === "thinking");
  if (edit === undefined) return open;
  const thoughtful = turns.flatMap(({ blocks }, index) => (blocks.some(isThought) ? [index] : []));
  return Math.min(open, thoughtful.at(-edit.keep) ?? 0);
}

function segmentOf(block: Block, role: string, extra: number, isForgotten: boolean): Segment {
  const own = tokensOf(block);
  return {
    text: `${role} ${withoutCache(block.raw)}`,
    tokens: extra + (isForgotten ? 0 : own),
    forgottenTokens: isForgotten ? own : 0,
    cache: block.cache,
    block,
  };
}

function withoutCache({ cache_control: _cache, ...raw }: Block["raw"]): string {
  return JSON.stringify(raw);
}

function tokensOf(block: Block): number {
  switch (block.kind) {
    case "text":
      return countTokens(block.text);
    case "image":
      return mediaTokens(block.media);
    case "document":
    case "search_result":
      return documentTokens(block.document);
    case "thinking":
    case "redacted_thinking":
      return countTokens(block.seal.shown);
    case "call":
      return countTokens(block.name) + countTokens(JSON.stringify(block.input));
    case "result":
      return block.media.reduce((sum, media) => sum + mediaTokens(media), countTokens(block.text));
    case "server_call":
    case "server_result":
      return countTokens(JSON.stringify(block.raw["input"] ?? block.raw["content"] ?? ""));
    case "upload":
      return countTokens(block.fileId);
  }
}

function documentTokens({ content, media }: Document): number {
  switch (content.kind) {
    case "text":
      return countTokens(content.text);
    case "blocks":
    case "search_result":
      return countTokens(content.texts.join("\n"));
    case "opaque":
      return mediaTokens(media);
  }
}

/** A picture costs by its area, once it is made to fit; of what cannot be looked into a usual size is assumed. */
function mediaTokens({ kind, widthPixels, heightPixels, sizeBytes }: Media): number {
  if (kind !== "image") return Math.min(MAX_FILE, Math.ceil((sizeBytes ?? UNKNOWN * 4) / 4));
  if (widthPixels === undefined || heightPixels === undefined) return UNKNOWN;
  const shrunk = Math.min(1, LONG_EDGE_PIXELS / Math.max(widthPixels, heightPixels));
  const area = widthPixels * shrunk * heightPixels * shrunk;
  return Math.min(MAX_IMAGE, Math.ceil(area / PIXELS_PER_TOKEN));
}

const UNKNOWN = 1_500;
const MAX_FILE = 100_000;
const MAX_IMAGE = 1_600;
const LONG_EDGE_PIXELS = 1_568;
const PIXELS_PER_TOKEN = 750;

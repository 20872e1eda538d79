import type { Block, ChatRequest, MediaBlock, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { FetchedMedia, MediaFetcher } from "#core/media.ts";
import { LongBase64 } from "#lib/long-base64.ts";

/** Limit per request; each file is held in memory. */
const MAX_LINKS = 16;
const MIB = 1024 * 1024;
/** Limit of inlined base64 per request: no vendor accepts more. */
const MAX_CHARS = 100 * MIB;

/**
 * Replaces links to media of these kinds by their content, for an upstream that does not download
 * links. A repeated link is downloaded once, but inlined each time.
 */
export async function inlineLinks(
  request: ChatRequest,
  kinds: readonly MediaBlock["type"][],
  media: MediaFetcher,
  signal: AbortSignal,
): Promise<ChatRequest> {
  const links = new Map<string, number>();
  for (const { blocks } of request.messages) collect(blocks, kinds, links);
  if (links.size === 0) return request;
  if (links.size > MAX_LINKS) {
    const message = `A request may have at most ${MAX_LINKS} media links for this model.`;
    throw new GatewayError("invalid_request", message, { param: "messages" });
  }
  const fetched = await Promise.all(
    [...links.keys()].map(async (url) => [url, await media.follow(url, signal)] as const),
  );
  const sent = fetched.reduce(
    (sum, [url, { bytes }]) => sum + charsOf(bytes) * (links.get(url) ?? 0),
    0,
  );
  if (sent > MAX_CHARS) {
    const message = `The links of a request may have at most ${MAX_CHARS / MIB} MiB as base64.`;
    throw new GatewayError("too_large", message, { param: "messages" });
  }
  const found = new Map(fetched.map(([url, each]) => [url, encoded(each)]));
  const messages = request.messages.map((message): Message => ({
    ...message,
    blocks: message.blocks.map((block) => inlined(block, kinds, found)),
  }));
  return { ...request, messages };
}

function collect(
  blocks: readonly Block[],
  kinds: readonly MediaBlock["type"][],
  into: Map<string, number>,
): void {
  for (const block of blocks) {
    if (block.type === "tool_result") collect(block.blocks, kinds, into);
    const url = linkIn(block, kinds);
    if (url !== undefined) into.set(url, (into.get(url) ?? 0) + 1);
  }
}

function linkIn(block: Block, kinds: readonly MediaBlock["type"][]): string | undefined {
  if (!("source" in block) || block.source.kind !== "url") return undefined;
  // Other schemes are references of a single vendor.
  const isWeb = /^https?:\/\//i.test(block.source.url);
  return isWeb && kinds.includes(block.type) ? block.source.url : undefined;
}

function inlined(
  block: Block,
  kinds: readonly MediaBlock["type"][],
  found: ReadonlyMap<string, Encoded>,
): Block {
  if (block.type === "tool_result") {
    return { ...block, blocks: block.blocks.map((inner) => inlined(inner, kinds, found)) };
  }
  const url = linkIn(block, kinds);
  const media = url === undefined ? undefined : found.get(url);
  if (media === undefined || !("source" in block)) return block;
  const { base64, mediaType } = media;
  return { ...block, source: { kind: "data", base64 }, mediaType };
}

interface Encoded {
  readonly base64: string;
  readonly mediaType: string;
}

/** Number of base64 characters. */
function charsOf(bytes: Uint8Array): number {
  return LongBase64.write(bytes).length;
}

function encoded({ bytes, mediaType }: FetchedMedia): Encoded {
  return { base64: LongBase64.write(bytes).toString(), mediaType };
}

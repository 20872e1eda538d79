import type { Block, ChatRequest, MediaBlock, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { FetchedMedia, MediaFetcher } from "#core/media.ts";

/** Of one request; each is held whole while it is. */
const MAX_LINKS = 16;

/**
 * A request whose links to media of these kinds are replaced by what is behind
 * them, since its upstream would not follow them. Links are followed once,
 * however often they stand in it.
 */
export async function inlineLinks(
  request: ChatRequest,
  kinds: readonly MediaBlock["type"][],
  media: MediaFetcher,
  signal: AbortSignal,
): Promise<ChatRequest> {
  const links = new Set<string>();
  for (const { blocks } of request.messages) collect(blocks, kinds, links);
  if (links.size === 0) return request;
  if (links.size > MAX_LINKS) {
    const message = `A request may hold ${MAX_LINKS} links to media for this model, not more.`;
    throw new GatewayError("invalid_request", message, { param: "messages" });
  }
  const fetched = await Promise.all(
    [...links].map(async (url) => [url, await media.follow(url, signal)] as const),
  );
  const found = new Map(fetched);
  const messages = request.messages.map((message): Message => ({
    ...message,
    blocks: message.blocks.map((block) => inlined(block, kinds, found)),
  }));
  return { ...request, messages };
}

function collect(
  blocks: readonly Block[],
  kinds: readonly MediaBlock["type"][],
  into: Set<string>,
): void {
  for (const block of blocks) {
    if (block.type === "tool_result") collect(block.blocks, kinds, into);
    const url = linkIn(block, kinds);
    if (url !== undefined) into.add(url);
  }
}

function linkIn(block: Block, kinds: readonly MediaBlock["type"][]): string | undefined {
  if (!("source" in block) || block.source.kind !== "url") return undefined;
  // Other schemes name something that only one vendor knows.
  const isWeb = /^https?:\/\//i.test(block.source.url);
  return isWeb && kinds.includes(block.type) ? block.source.url : undefined;
}

function inlined(
  block: Block,
  kinds: readonly MediaBlock["type"][],
  found: ReadonlyMap<string, FetchedMedia>,
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

import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { InboundStyle, OutboundStyle } from "#core/style.ts";
import { SseDecoder, type SseEvent } from "#lib/sse.ts";

/** A style's decoder, fed from a source and read to its end. */
export async function* decodeStream(
  { outbound }: OutboundStyle,
  source: AsyncIterable<SseEvent>,
): AsyncGenerator<ChatEvent> {
  const decoder = outbound.openDecoder();
  for await (const event of source) {
    yield* decoder.read(event);
    if (decoder.isOver) return;
  }
  yield* decoder.end();
}

/** A style's encoder, fed from a source and read to its end; one piece for each event that says something. */
export async function* encodeStream(
  { inbound }: InboundStyle,
  source: AsyncIterable<ChatEvent>,
  request: ChatRequest,
): AsyncGenerator<string> {
  const encoder = inbound.openEncoder(request);
  for await (const event of source) {
    const piece = encoder.encode(event);
    if (piece !== "") yield piece;
  }
  yield encoder.end();
}

/** Bytes, however they are cut, as the events they hold. */
export async function* decodeSse(
  source: AsyncIterable<Uint8Array>,
  maxEventBytes: number,
): AsyncGenerator<SseEvent> {
  const decoder = new SseDecoder(maxEventBytes);
  for await (const chunk of source) yield* decoder.push(chunk);
  yield* decoder.end();
}

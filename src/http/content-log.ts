import type { ContentLevel } from "#core/content-log.ts";
import type { Capture, CaptureStart, RequestContent } from "#relay/content-log/capture.ts";
import type { ContentLog } from "#relay/content-log/content-log.ts";
import type { Reply, StreamedReply } from "./reply.ts";
import type { Exchange } from "./routes.ts";

export interface ContentKeeping {
  readonly contentLog: Pick<ContentLog, "levelFor" | "open">;
}

/** Names the level in answers of calls that the content log may store. */
const CONTENT_LOG_HEADER = "sluice-content-log";
/** If the client leaves before the answer, the end of the call is recorded within this time. */
const LEAVING_MS = 1_000;

/** The level for the key of the request. Requests for assets are no calls. */
export function contentLevelOf(
  { key, family }: Exchange,
  { contentLog }: ContentKeeping,
): ContentLevel {
  return key === undefined || family === "assets" ? "off" : contentLog.levelFor(key);
}

/**
 * The same answer, which is kept with its request if the content log is on for the key.
 * Otherwise it holds no reference to the request.
 */
export function keepingContent(
  exchange: Exchange,
  request: RequestContent,
  deps: ContentKeeping,
  answer: () => Promise<Reply>,
  callId: string = exchange.id,
): () => Promise<Reply> {
  const level = contentLevelOf(exchange, deps);
  return level === "off"
    ? answer
    : keeping(
        exchange,
        { callId, level, request, isLasting: exchange.family === "videos" },
        deps,
        answer,
      );
}

function keeping(
  exchange: Exchange,
  start: CaptureStart,
  { contentLog }: ContentKeeping,
  answer: () => Promise<Reply>,
): () => Promise<Reply> {
  return () => {
    exchange.announce({ [CONTENT_LOG_HEADER]: start.level });
    return answerKept(exchange, contentLog.open(start), answer);
  };
}

async function answerKept(
  exchange: Exchange,
  capture: Capture,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  exchange.onFailure((body) => capture.refuse(body));
  const reply = await answer();
  const contentType = reply.headers["content-type"] ?? "";
  if (reply.kind === "stream") return keepingStream(exchange, capture, reply, contentType);
  capture.take(reply.body, contentType);
  capture.end();
  return reply;
}

function keepingStream(
  { signal }: Exchange,
  capture: Capture,
  reply: StreamedReply,
  contentType: string,
): StreamedReply {
  // If the client leaves before the first byte, the response body is never read.
  const onGone = (): void => void setTimeout(() => capture.end(), LEAVING_MS);
  if (signal.aborted) onGone();
  else signal.addEventListener("abort", onGone);
  return {
    ...reply,
    async fill(sink) {
      signal.removeEventListener("abort", onGone);
      try {
        return await reply.fill(capture.tee(sink, contentType));
      } finally {
        capture.end();
      }
    },
  };
}

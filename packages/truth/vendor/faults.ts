import type { Socket } from "node:net";
import type { WireRequest } from "./http.ts";
import { TOKEN } from "./plan.ts";
import { writeAnswer, writeChunk, writeChunkEnd, writeStreamHead } from "./write.ts";

/** One way in which a vendor fails. */
interface Fault {
  readonly title: string;
  readonly isStream: boolean;
  /** A part of the answer leaves before it, so that no other channel can answer instead. */
  readonly isLate: boolean;
  readonly write: (socket: Socket, request: WireRequest) => void;
}

const refuse =
  (status: number, code: string, message: string): Fault["write"] =>
  (socket) =>
    writeAnswer(socket, status, JSON.stringify({ error: { message, type: code, code } }));

/** The beginning of an honest stream. */
function begin(socket: Socket, isOver = false): void {
  writeStreamHead(socket);
  for (let number = 0; number < 3; number += 1) writeChunk(socket, chunkWith(TOKEN));
  if (isOver) writeChunkEnd(socket);
}

const chunkWith = (content: string): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-broken",
    object: "chat.completion.chunk",
    created: 1,
    model: "truth",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })}\n\n`;

const whole = (title: string, write: Fault["write"]): Fault => ({
  title,
  isStream: false,
  isLate: false,
  write,
});
const stream = (title: string, isLate: boolean, write: Fault["write"]): Fault => ({
  title,
  isStream: true,
  isLate,
  write,
});

/** Their names are a part of a channel's address. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  busy: whole("429 with a rate limit", refuse(429, "rate_limit_exceeded", "Rate limit reached.")),
  failed: whole("500", refuse(500, "server_error", "The server had an error.")),
  overloaded: whole("503", refuse(503, "overloaded", "The engine is overloaded.")),
  unauthorized: whole(
    "401: the channel's credential is wrong",
    refuse(401, "invalid_api_key", "Incorrect API key provided."),
  ),
  "no-model": whole(
    "404: the vendor does not know the model",
    refuse(404, "model_not_found", "The model does not exist."),
  ),
  reset: whole("connection reset before the answer", (socket) => socket.resetAndDestroy()),
  silent: whole("no answer at all", () => undefined),
  page: whole("200 with a page of HTML", (socket) =>
    writeAnswer(socket, 200, "<html><body>Sign in</body></html>", "text/html"),
  ),
  empty: whole("200 with an empty body", (socket) => writeAnswer(socket, 200, "")),
  "error-body": whole("200 with an error as body", (socket) =>
    writeAnswer(socket, 200, JSON.stringify({ error: { message: "It failed.", code: "failed" } })),
  ),
  cut: whole("whole answer cut in the middle", (socket) => {
    const body = '{"id":"chatcmpl-broken","object":"chat.completion","choices":[{"index":0,"mess';
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length + 200}\r\n\r\n${body}`,
    );
    socket.end();
  }),
  "stream-silent": stream("stream without a first event", false, (socket) =>
    writeStreamHead(socket),
  ),
  "stream-error-first": stream("stream whose first event is an error", false, (socket) => {
    writeStreamHead(socket);
    writeChunk(socket, 'data: {"error":{"message":"Overloaded.","code":"overloaded"}}\n\n');
    writeChunkEnd(socket);
  }),
  "stream-empty": stream("stream that ends before its first event", false, (socket) => {
    writeStreamHead(socket);
    writeChunkEnd(socket);
  }),
  "stream-reset": stream("stream reset in the middle", true, (socket) => {
    begin(socket);
    setTimeout(() => socket.resetAndDestroy(), 100);
  }),
  "stream-ended": stream("stream ended in the middle, as if it were complete", true, (socket) =>
    begin(socket, true),
  ),
  "stream-error": stream("error event in the middle", true, (socket) => {
    begin(socket);
    writeChunk(socket, 'data: {"error":{"message":"It failed.","code":"server_error"}}\n\n');
    writeChunkEnd(socket);
  }),
  "stream-stalled": stream("silence in the middle", true, (socket) => begin(socket)),
  "stream-half": stream("connection closed within an event", true, (socket) => {
    begin(socket);
    socket.write('400\r\ndata: {"id":"chatcmpl-broken","choices":[{"ind');
    setTimeout(() => socket.end(), 100);
  }),
};

import { openHttpReader } from "./http-reader.ts";
import { answerBody, answerEvents, endlessEvent, findAsk, VARIANTS } from "./payload.ts";
import { openWheel } from "./wheel.ts";

/**
 * The model vendor of the bench, a process of its own: answers OpenAI chat
 * completions from bytes built beforehand, with one write for each event of a
 * stream. It prints its port and lives until its standard input ends.
 */
interface Connection {
  send(bytes: Buffer): void;
  /** A slow reader has not taken everything yet. */
  isFull(): boolean;
  push(received: Buffer): void;
  drain(): void;
  close(): void;
  isOpen(): boolean;
}

interface Stream {
  readonly connection: Connection;
  readonly frames: readonly Buffer[];
  readonly paceMs: number;
  /** Its last frame comes again and again, whenever there is room for it. */
  readonly isEndless?: true;
  next: number;
}

const VARIANT_NUMBERS = Array.from({ length: VARIANTS }, (_, variant) => variant);
const ANSWERS = VARIANT_NUMBERS.map((variant) => jsonAnswer("200 OK", answerBody(variant)));
const STREAMS = VARIANT_NUMBERS.map((variant) => streamFrames(answerEvents(variant)));
const ENDLESS = streamFrames([endlessEvent(1), endlessEvent(16_384)], false);
const UNKNOWN = jsonAnswer("404 Not Found", '{"error":{"message":"Not part of the bench."}}');

const wait = openWheel<Stream>(sendNext);

const listener = Bun.listen<Connection>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open: (socket) => void (socket.data = openConnection(socket)),
    data: (socket, received) => socket.data.push(received),
    drain: (socket) => socket.data.drain(),
    close: (socket) => socket.data.close(),
    error: (socket) => socket.terminate(),
  },
});

process.stdout.write(`${listener.port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();

function openConnection(socket: Bun.Socket<Connection>): Connection {
  let isOpen = true;
  let body: Buffer | undefined;
  /** What a slow reader has not taken yet. */
  let unsent: Buffer | undefined;

  const connection: Connection = {
    isOpen: () => isOpen,
    isFull: () => unsent !== undefined,
    push: openHttpReader({
      head: () => (body = undefined),
      body(bytes, from, to) {
        const piece = bytes.subarray(from, to);
        body = body === undefined ? piece : Buffer.concat([body, piece]);
      },
      end: () => answer(connection, body),
    }),
    send(bytes) {
      if (unsent !== undefined) {
        unsent = Buffer.concat([unsent, bytes]);
        return;
      }
      const sentBytes = socket.write(bytes);
      if (sentBytes < bytes.length) unsent = bytes.subarray(Math.max(sentBytes, 0));
    },
    drain() {
      const rest = unsent;
      unsent = undefined;
      if (rest !== undefined) connection.send(rest);
    },
    close() {
      isOpen = false;
      unsent = undefined;
    },
  };
  return connection;
}

function answer(connection: Connection, body: Buffer | undefined): void {
  const ask = body === undefined ? undefined : findAsk(body);
  const bytes = ask?.kind === "unary" ? ANSWERS[ask.variant] : undefined;
  if (ask?.kind === "endless") {
    sendNext({ connection, frames: ENDLESS, paceMs: 1, isEndless: true, next: 0 });
    return;
  }
  const frames = ask?.kind === "stream" ? STREAMS[ask.variant] : undefined;
  if (ask !== undefined && frames !== undefined) {
    sendNext({ connection, frames, paceMs: ask.paceMs, next: 0 });
  } else {
    connection.send(bytes ?? UNKNOWN);
  }
}

function sendNext(stream: Stream): void {
  const { frames, connection } = stream;
  if (stream.isEndless === true && stream.next === frames.length) stream.next--;
  const frame = frames[stream.next];
  if (frame === undefined || !connection.isOpen()) return;
  if (!connection.isFull() || stream.isEndless !== true) {
    connection.send(frame);
    stream.next++;
  }
  if (stream.isEndless === true) return wait(stream, stream.paceMs);
  if (stream.next < stream.frames.length) wait(stream, stream.paceMs);
}

function jsonAnswer(status: string, body: string): Buffer {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** One frame a write: the head goes with the first event, the final chunk with the last. */
function streamFrames(events: readonly string[], ends = true): Buffer[] {
  const head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n";
  return events.map((event, index) => {
    const chunk = `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
    const isLast = ends && index === events.length - 1;
    return Buffer.from(`${index === 0 ? head : ""}${chunk}${isLast ? "0\r\n\r\n" : ""}`);
  });
}

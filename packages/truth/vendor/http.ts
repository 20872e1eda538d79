import { createServer, type Server, type Socket } from "node:net";

/** A request as its bytes say; header names are in lower case. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What answers a request may write any bytes, and may end the connection where it likes. */
type WireHandler = (request: WireRequest, socket: Socket) => Promise<void>;

interface WireServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * An HTTP server on plain sockets: a vendor that breaks an answer needs to write
 * half a chunk, or to reset a connection, which HTTP libraries prevent.
 */
export async function serveWire(handle: WireHandler): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A reset by the gateway; the close that follows is what counts.
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    void serveSocket(socket, handle).catch(() => socket.destroy());
  });
  const port = await listen(server);
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** One request after another; a gateway sends none before the last is answered. */
async function serveSocket(socket: Socket, handle: WireHandler): Promise<void> {
  let held = Buffer.alloc(0);
  const queue: WireRequest[] = [];
  let isBusy = false;
  const next = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      await handle(request, socket);
    }
    isBusy = false;
  };
  await new Promise<void>((resolve, reject) => {
    socket.on("close", () => resolve());
    socket.on("data", (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      for (let read = readRequest(held); read !== undefined; read = readRequest(held)) {
        held = held.subarray(read.length);
        queue.push(read.request);
      }
      next().catch(reject);
    });
  });
}

interface Read {
  readonly request: WireRequest;
  readonly length: number;
}

/** The first request of the bytes; undefined if it is not complete yet. */
function readRequest(bytes: Buffer): Read | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = headEnd + 4;
  const body =
    headers.get("transfer-encoding") === "chunked"
      ? readChunks(bytes, start)
      : readSized(bytes, start, Number(headers.get("content-length") ?? 0));
  if (body === undefined) return undefined;
  return { request: { method, path, headers, body: body.text }, length: body.end };
}

interface Body {
  readonly text: string;
  readonly end: number;
}

function readSized(bytes: Buffer, start: number, length: number): Body | undefined {
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { text: bytes.subarray(start, end).toString(), end };
}

function readChunks(bytes: Buffer, start: number): Body | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const chunkEnd = lineEnd + 2 + size;
    if (bytes.length < chunkEnd + 2) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString(), end: chunkEnd + 2 };
    parts.push(bytes.subarray(lineEnd + 2, chunkEnd));
    at = chunkEnd + 2;
  }
}

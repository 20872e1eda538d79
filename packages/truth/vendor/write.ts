import type { Socket } from "node:net";

export function writeAnswer(
  socket: Socket,
  status: number,
  body: string,
  type = "application/json",
): void {
  const length = Buffer.byteLength(body);
  socket.write(
    `HTTP/1.1 ${status} Status\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

export function writeStreamHead(socket: Socket): void {
  socket.write(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
  );
}

/** False if the reader is behind. */
export function writeChunk(socket: Socket, text: string): boolean {
  return socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

export function writeChunkEnd(socket: Socket): void {
  socket.write("0\r\n\r\n");
}

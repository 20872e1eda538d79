/** What a reader reports, in order: one head, any number of body pieces, one end. */
interface HttpListener {
  /** The start line and headers, without the blank line. */
  head(head: string): void;
  /** Bytes `from` to `to` belong to the body. Offsets, because a view for each piece costs more. */
  body(bytes: Buffer, from: number, to: number): void;
  end(): void;
}

const BLANK_LINE = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Reads HTTP/1.1 messages off a connection: just enough of it (content-length
 * and chunked bodies) to cost much less than the proxies under test.
 */
export function openHttpReader(listener: HttpListener): (received: Buffer) => void {
  let state: "head" | "body" | "size" | "gap" | "trailer" = "head";
  let isChunked = false;
  let leftBytes = 0;
  let carry: Buffer | undefined;

  return function push(received) {
    const bytes = carry === undefined ? received : Buffer.concat([carry, received]);
    carry = undefined;
    let at = 0;
    while (at < bytes.length) {
      if (state === "body") {
        const end = Math.min(at + leftBytes, bytes.length);
        listener.body(bytes, at, end);
        leftBytes -= end - at;
        at = end;
        if (leftBytes === 0 && isChunked) state = "gap";
        else if (leftBytes === 0) finish();
        continue;
      }

      const terminator = state === "head" ? BLANK_LINE : LINE_END;
      const end = bytes.indexOf(terminator, at);
      if (end === -1) {
        if (bytes.length - at > MAX_HEAD_BYTES) throw new Error("A head or line is too long.");
        carry = Buffer.from(bytes.subarray(at));
        return;
      }
      readLine(bytes.toString("latin1", at, end));
      at = end + terminator.length;
    }
  };

  function readLine(line: string): void {
    switch (state) {
      case "head":
        return readHead(line);
      case "size":
        leftBytes = chunkSize(line);
        state = leftBytes === 0 ? "trailer" : "body";
        return;
      case "gap":
        if (line !== "") throw new Error("A chunk is longer than it says.");
        state = "size";
        return;
      case "trailer":
        if (line === "") finish();
        return;
      case "body":
        throw new Error("A body is no line.");
    }
  }

  function readHead(head: string): void {
    listener.head(head);
    isChunked = /\r\ntransfer-encoding:[ \t]*chunked/i.test(head);
    if (isChunked) {
      state = "size";
      return;
    }
    const length = /\r\ncontent-length:[ \t]*(\d+)/i.exec(head)?.[1];
    // A request may have no body; a response that ends with its connection cannot be told from a
    // cut one, so it is refused.
    if (length === undefined && head.startsWith("HTTP/")) {
      throw new Error("A response has neither a length nor chunks.");
    }
    leftBytes = Number(length ?? 0);
    if (leftBytes === 0) finish();
    else state = "body";
  }

  function finish(): void {
    state = "head";
    listener.end();
  }
}

function chunkSize(line: string): number {
  const size = /^[0-9a-f]+/i.exec(line)?.[0];
  if (size === undefined) throw new Error("A chunk has no size.");
  return Number.parseInt(size, 16);
}

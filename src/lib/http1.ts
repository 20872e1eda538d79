/** Bytes that are not the HTTP/1.1 answer they should be. The connection they came on is no good any more. */
export class HttpViolation extends Error {
  override readonly name = "HttpViolation";
}

export interface ResponseHead {
  readonly status: number;
  /** By lower-case name; repeated ones are joined with commas. */
  readonly headers: ReadonlyMap<string, string>;
}

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_FIELDS = 256;
/** Size, extensions and line end of a chunk, which nobody needs to be long. */
const MAX_CHUNK_LINE_BYTES = 256;
const MAX_TRAILER_BYTES = 8 * 1024;

const CR = 0x0d;
const LF = 0x0a;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

type State =
  | "head"
  | "sized"
  | "chunk-line"
  | "chunk"
  | "chunk-end"
  | "trailer"
  | "until-close"
  | "over";

/**
 * Reads one HTTP/1.1 answer from bytes as they come (RFC 9112). Strict where
 * two readers might disagree on where the answer ends: such an answer is
 * refused rather than guessed at.
 */
export class ResponseReader {
  head: ResponseHead | undefined;
  #state: State = "head";
  /** An unfinished head, chunk line or trailer. */
  #rest: Buffer | undefined;
  #left = 0;
  #trailerBytes = 0;
  #staysOpen = false;

  /** Not a byte has come. */
  get isUntouched(): boolean {
    return this.#state === "head" && this.#rest === undefined && this.head === undefined;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Whether another request may follow on the connection, once this answer is over. */
  get isReusable(): boolean {
    return this.isOver && this.#staysOpen;
  }

  /** The body's bytes among these; undefined where there are none. What is returned may be a view. */
  push(chunk: Buffer): Uint8Array | undefined {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let first: Uint8Array | undefined;
    let more: Uint8Array[] | undefined;

    for (let at = 0; at < bytes.length;) {
      if (this.#state === "sized" || this.#state === "chunk" || this.#state === "until-close") {
        const end =
          this.#state === "until-close" ? bytes.length : Math.min(bytes.length, at + this.#left);
        const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
        if (first === undefined) first = piece;
        else (more ??= [first]).push(piece);
        this.#took(end - at);
        at = end;
      } else if (this.#state === "over") {
        throw new HttpViolation("Bytes follow the answer's end.");
      } else {
        at = this.#readControl(bytes, at);
      }
    }
    return more === undefined ? first : Buffer.concat(more);
  }

  /** The connection ended. Throws when the answer has not. */
  close(): void {
    if (this.#state === "until-close") this.#state = "over";
    if (this.#state !== "over")
      throw new HttpViolation("The connection closed before the answer's end.");
  }

  #took(count: number): void {
    if (this.#state === "until-close") return;
    this.#left -= count;
    if (this.#left > 0) return;
    this.#state = this.#state === "sized" ? "over" : "chunk-end";
  }

  /** What stands between pieces of the body. Returns where to go on; keeps what is unfinished. */
  #readControl(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes, at);
      case "chunk-line":
        return this.#readChunkLine(bytes, at);
      case "chunk-end":
        return this.#readChunkEnd(bytes, at);
      default:
        return this.#readTrailer(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(END_OF_HEAD, at);
    if (end < 0 ? bytes.length - at > MAX_HEAD_BYTES : end - at > MAX_HEAD_BYTES) {
      throw new HttpViolation("The answer's head is too long.");
    }
    if (end < 0) return this.#keep(bytes, at);

    const [statusLine = "", ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
    if (status === undefined)
      throw new HttpViolation("The answer does not begin with a status line.");
    const headers = readFields(fields);
    // An interim answer: the real one follows.
    if (status.startsWith("1") && status !== "101") return end + END_OF_HEAD.length;

    this.head = { status: Number(status), headers };
    this.#staysOpen = minor === "1" && !/\bclose\b/i.test(headers.get("connection") ?? "");
    this.#frameBody(this.head);
    return end + END_OF_HEAD.length;
  }

  #frameBody({ status, headers }: ResponseHead): void {
    const coding = headers.get("transfer-encoding");
    const length = headers.get("content-length");
    if (coding !== undefined && length !== undefined) {
      throw new HttpViolation("The answer states its length in two ways.");
    }
    if (status === 204 || status === 304) {
      this.#state = "over";
    } else if (coding !== undefined) {
      if (coding.toLowerCase() !== "chunked")
        throw new HttpViolation("The transfer coding is not known.");
      this.#state = "chunk-line";
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length))
        throw new HttpViolation("The content length is not a number.");
      this.#left = Number(length);
      this.#state = this.#left === 0 ? "over" : "sized";
    } else {
      this.#staysOpen = false;
      this.#state = "until-close";
    }
  }

  #readChunkLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    if ((end < 0 ? bytes.length : end) - at > MAX_CHUNK_LINE_BYTES) {
      throw new HttpViolation("A chunk's head is too long.");
    }
    if (end < 0) return this.#keep(bytes, at);
    if (end === at || bytes[end - 1] !== CR)
      throw new HttpViolation("A chunk's head ends wrongly.");

    this.#left = readChunkSize(bytes, at, end - 1);
    this.#state = this.#left === 0 ? "trailer" : "chunk";
    return end + 1;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return this.#keep(bytes, at);
    if (bytes[at] !== CR || bytes[at + 1] !== LF)
      throw new HttpViolation("A chunk is longer than it said.");
    this.#state = "chunk-line";
    return at + 2;
  }

  /** Fields after the last chunk are nothing we act on; an empty line ends them. */
  #readTrailer(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    if (end < 0) {
      if (bytes.length - at > MAX_TRAILER_BYTES)
        throw new HttpViolation("The trailer is too long.");
      return this.#keep(bytes, at);
    }
    this.#trailerBytes += end - at;
    if (this.#trailerBytes > MAX_TRAILER_BYTES) throw new HttpViolation("The trailer is too long.");
    if (end === at + 1 && bytes[at] === CR) this.#state = "over";
    return end + 1;
  }

  #keep(bytes: Buffer, at: number): number {
    this.#rest = bytes.subarray(at);
    return bytes.length;
  }
}

function readFields(lines: readonly string[]): Map<string, string> {
  if (lines.length > MAX_FIELDS) throw new HttpViolation("The answer's head has too many fields.");
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !FIELD_NAME.test(name))
      throw new HttpViolation("A field of the answer's head is malformed.");
    const value = line.slice(colon + 1).trim();
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

function readChunkSize(bytes: Buffer, start: number, end: number): number {
  let size = 0;
  let at = start;
  for (; at < end; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
    if (size > Number.MAX_SAFE_INTEGER) throw new HttpViolation("A chunk is too large.");
  }
  const next = at === end ? undefined : bytes[at];
  // An extension may follow the size; nothing else may.
  if (at === start || (next !== undefined && next !== 0x3b && next !== 0x20 && next !== 0x09)) {
    throw new HttpViolation("A chunk's size is not a number.");
  }
  return size;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

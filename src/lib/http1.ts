/** An invalid HTTP/1.1 response. Its connection cannot be reused. */
export class HttpViolation extends Error {
  override readonly name = "HttpViolation";
  /** Bytes of the body that the same chunk held before the violation. */
  before: Uint8Array | undefined;
}

export interface ResponseHead {
  readonly status: number;
  /** By lower-case name; repeated fields are joined with commas. */
  readonly headers: Fields;
}

/** Read access to header fields; a Map implements it. */
export interface Fields extends Iterable<[name: string, value: string]> {
  get(name: string): string | undefined;
  has(name: string): boolean;
}

/** Limit of the response head together with all interim responses before it. */
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_FIELDS = 256;
/** Limit of a chunk's size, extensions and line end. */
const MAX_CHUNK_LINE_BYTES = 256;
const MAX_TRAILER_BYTES = 8 * 1024;

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const ZERO = 0x30;
const ONE = 0x31;
const SEMICOLON = 0x3b;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const START_OF_HEAD = Buffer.from("HTTP/1.");
const EMPTY_BUFFER = Buffer.alloc(0);
const STATUS_LINE = /^HTTP\/1\.[01] [1-5]\d\d(?: .*)?(?:\r\n|$)/;
/** Positions of the minor version and of the code in a status line. */
const MINOR_AT = 7;
const STATUS_AT = 9;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const LENGTH = /^\d{1,15}$/;
const CLOSE = /\bclose\b/i;
const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);
/** Characters that are forbidden in a head or in a line of it. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
/** Chunk extensions. They are ignored, but parsers differ on where a malformed one ends. */
const EXTENSIONS =
  /^(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"[\t !#-[\]-~]*"))?)*$/;

type State =
  | "head"
  | "sized"
  | "chunk-line"
  | "chunk"
  | "chunk-cr"
  | "chunk-lf"
  | "trailer"
  | "until-close"
  | "over";

/**
 * Reads one HTTP/1.1 response incrementally (RFC 9112). It refuses every
 * response whose end two parsers might see at different positions.
 */
export class ResponseReader {
  head: ResponseHead | undefined;
  #state: State = "head";
  #isUntouched = true;
  /** The start of an incomplete head or line: a copy, so that the original buffer can be freed. */
  #kept: Buffer = EMPTY_BUFFER;
  #keptBytes = 0;
  #headBytes = 0;
  #trailerBytes = 0;
  #left = 0;
  #staysOpen = false;

  /** True before the first byte. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** True if the connection can be reused after this response. */
  get isReusable(): boolean {
    return this.isOver && this.#staysOpen;
  }

  /**
   * The body bytes in this chunk; undefined if there are none. The parts of the body are moved
   * together in the chunk itself: a copy of each would be garbage, and one chunk may hold thousands.
   */
  push(bytes: Buffer): Uint8Array | undefined {
    let start = 0;
    let end = 0;
    if (bytes.length > 0) this.#isUntouched = false;

    for (let at = 0; at < bytes.length;) {
      if (this.#state === "sized" || this.#state === "chunk" || this.#state === "until-close") {
        const stop =
          this.#state === "until-close" ? bytes.length : Math.min(bytes.length, at + this.#left);
        if (end > 0) bytes.copyWithin(end, at, stop);
        else end = start = at;
        end += stop - at;
        this.#took(stop - at);
        at = stop;
      } else {
        try {
          at = this.#readControl(bytes, at);
        } catch (cause) {
          if (cause instanceof HttpViolation && end > 0) cause.before = bytes.subarray(start, end);
          throw cause;
        }
      }
    }
    if (end === 0) return undefined;
    return start === 0 && end === bytes.length ? bytes : partOf(bytes, start, end);
  }

  /** The connection closed, normally or by an error. Throws if the response is incomplete. */
  close(isClean: boolean): void {
    if (this.#state === "until-close" && isClean) this.#state = "over";
    if (this.#state !== "over") {
      throw new HttpViolation("The connection closed before the end of the response.");
    }
  }

  #took(count: number): void {
    if (this.#state === "until-close") return;
    this.#left -= count;
    if (this.#left > 0) return;
    this.#state = this.#state === "sized" ? "over" : "chunk-cr";
  }

  /**
   * Parses the bytes between parts of the body. Returns the next position;
   * stores an incomplete rest.
   */
  #readControl(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes, at);
      case "chunk-line":
        return this.#readChunkLine(bytes, at);
      case "chunk-cr":
        return this.#readChunkEnd(bytes, at, CR, "chunk-lf");
      case "chunk-lf":
        return this.#readChunkEnd(bytes, at, LF, "chunk-line");
      case "trailer":
        return this.#readTrailer(bytes, at);
      default:
        throw new HttpViolation("Bytes follow the end of the response.");
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    // A complete head in one chunk, the usual case, is parsed without a copy.
    const end = this.#keptBytes === 0 ? bytes.indexOf(END_OF_HEAD, at) : -1;
    if (end >= 0) {
      this.#takeHead(bytes, at, end);
      return end + END_OF_HEAD.length;
    }

    const known = this.#keptBytes;
    const room = MAX_HEAD_BYTES - this.#headBytes + END_OF_HEAD.length - known;
    this.#keep(bytes, at, Math.min(bytes.length, at + room));
    const kept = this.#kept.subarray(0, this.#keptBytes);
    refuseOtherProtocols(kept);

    // The end marker may have started in the bytes that were stored before.
    const keptEnd = kept.indexOf(END_OF_HEAD, Math.max(0, known - END_OF_HEAD.length + 1));
    if (keptEnd < 0) {
      if (this.#keptBytes - known === room)
        throw new HttpViolation("The response head is too long.");
      return bytes.length;
    }
    this.#kept = EMPTY_BUFFER;
    this.#keptBytes = 0;
    this.#takeHead(kept, 0, keptEnd);
    return at + keptEnd + END_OF_HEAD.length - known;
  }

  #takeHead(bytes: Buffer, start: number, end: number): void {
    this.#headBytes += end - start;
    if (this.#headBytes > MAX_HEAD_BYTES) throw new HttpViolation("The response head is too long.");
    const text = bytes.toString("latin1", start, end);
    if (FORBIDDEN.test(text)) {
      throw new HttpViolation("The response head contains a control character.");
    }
    if (!STATUS_LINE.test(text))
      throw new HttpViolation("The response does not start with a status line.");
    const lineEnd = text.indexOf("\r\n");
    const head = {
      status: statusIn(text),
      headers: lineEnd < 0 ? NO_FIELDS : fieldsIn(text, lineEnd),
    };
    const isCurrent = text.charCodeAt(MINOR_AT) === ONE;
    if (head.status >= 200) this.#begin(head, isCurrent);
    else refuseMoreThanInterim(head, isCurrent);
  }

  #begin(head: ResponseHead, isCurrent: boolean): void {
    const { status, headers } = head;
    const coding = headers.get("transfer-encoding");
    const length = headers.get("content-length");
    if (coding !== undefined) {
      if (length !== undefined)
        throw new HttpViolation("The response states its length in two ways.");
      if (!isCurrent) throw new HttpViolation("HTTP/1.0 has no transfer codings.");
      if (coding.toLowerCase() !== "chunked") {
        throw new HttpViolation("The transfer coding is unknown.");
      }
    }
    if (length !== undefined && !LENGTH.test(length)) {
      throw new HttpViolation("The content length is not a number.");
    }

    this.head = head;
    this.#left = length === undefined ? 0 : Number(length);
    this.#staysOpen = isCurrent && !saysClose(headers);
    if (status === 204 || status === 304) {
      this.#state = "over";
      // Such a response has no body even if its headers announce one; a body
      // may follow all the same.
      if (coding !== undefined || this.#left > 0) this.#staysOpen = false;
    } else if (coding !== undefined) {
      this.#state = "chunk-line";
    } else if (length !== undefined) {
      this.#state = this.#left === 0 ? "over" : "sized";
    } else {
      this.#staysOpen = false;
      this.#state = "until-close";
    }
  }

  #readChunkLine(bytes: Buffer, at: number): number {
    const end = this.#findLineEnd(bytes, at, MAX_CHUNK_LINE_BYTES, "A chunk's head is too long.");
    if (end < 0) return bytes.length;
    if (this.#keptBytes === 0) {
      this.#left = readChunkSize(bytes, at, end);
    } else {
      const length = this.#takeKept(bytes, at, end);
      this.#left = readChunkSize(this.#kept, 0, length);
    }
    this.#state = this.#left === 0 ? "trailer" : "chunk";
    return end + 1;
  }

  #readChunkEnd(bytes: Buffer, at: number, expected: number, next: State): number {
    if (bytes[at] !== expected) throw new HttpViolation("A chunk is longer than its stated size.");
    this.#state = next;
    return at + 1;
  }

  /** Fields after the last chunk are ignored; an empty line ends them. */
  #readTrailer(bytes: Buffer, at: number): number {
    const limit = MAX_TRAILER_BYTES - this.#trailerBytes;
    const end = this.#findLineEnd(bytes, at, limit, "The trailer is too long.");
    if (end < 0) return bytes.length;
    // Nearly all trailers are empty.
    if (this.#keptBytes === 0 && end === at + 1 && bytes[at] === CR) {
      this.#state = "over";
      return end + 1;
    }
    const length = this.#takeKept(bytes, at, end);
    this.#trailerBytes += length + 1;
    if (this.#kept[length - 1] !== CR)
      throw new HttpViolation("A line of the trailer has an invalid end.");

    const line = this.#kept.toString("latin1", 0, length - 1);
    if (FORBIDDEN.test(line)) throw new HttpViolation("The trailer contains a control character.");
    if (line === "") this.#state = "over";
    else if (saysLength(readFields([line]))) {
      throw new HttpViolation("A trailer must not state the length.");
    }
    return end + 1;
  }

  /**
   * The end of the stored incomplete line; -1 if it is still incomplete, and
   * then all bytes are stored.
   */
  #findLineEnd(bytes: Buffer, at: number, limit: number, tooLong: string): number {
    const end = bytes.indexOf(LF, at);
    const stop = end < 0 ? bytes.length : end + 1;
    if (this.#keptBytes + stop - at > limit) throw new HttpViolation(tooLong);
    if (end < 0) this.#keep(bytes, at, stop);
    return end;
  }

  /** Completes the stored bytes. Returns their length. */
  #takeKept(bytes: Buffer, at: number, end: number): number {
    this.#keep(bytes, at, end);
    const length = this.#keptBytes;
    this.#keptBytes = 0;
    return length;
  }

  /** Grows by doubling, so that bytes that arrive one by one are not copied each time. */
  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#keptBytes + end - start;
    if (length > this.#kept.length) {
      const larger = Buffer.alloc(Math.max(64, length, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.#keptBytes));
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#keptBytes, start, end);
    this.#keptBytes = length;
  }
}

/** The runtime keeps the bytes of a shorter array in its own heap. */
const SHORT_BYTES = 1_000;

/**
 * A view of a long part. A copy of a short one takes half the time, because the first view of a
 * chunk makes the runtime give it a buffer that has to be finalized.
 */
function partOf(bytes: Buffer, start: number, end: number): Buffer {
  if (end - start > SHORT_BYTES) return bytes.subarray(start, end);
  const part = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(part, 0, start, end);
  return part;
}

/** Of a head with a checked status line; read without a text for each part. */
function statusIn(text: string): number {
  let status = 0;
  for (let at = STATUS_AT; at < STATUS_AT + 3; at++) {
    status = status * 10 + text.charCodeAt(at) - ZERO;
  }
  return status;
}

/** Fails early, because a server with another protocol may wait for us. */
function refuseOtherProtocols(bytes: Buffer): void {
  const length = Math.min(bytes.length, START_OF_HEAD.length);
  if (bytes.compare(START_OF_HEAD, 0, length, 0, length) !== 0) {
    throw new HttpViolation("The response does not start with a status line.");
  }
}

/** An interim response only announces the final one. */
function refuseMoreThanInterim({ status, headers }: ResponseHead, isCurrent: boolean): void {
  if (!isCurrent) throw new HttpViolation("HTTP/1.0 has no interim responses.");
  if (status === 101)
    throw new HttpViolation("The response switches protocols, which was not requested.");
  if (saysLength(headers)) throw new HttpViolation("An interim response must not have a body.");
  if (saysClose(headers))
    throw new HttpViolation("An interim response must not close the connection.");
}

function saysLength(fields: Fields): boolean {
  return fields.has("content-length") || fields.has("transfer-encoding");
}

function saysClose(headers: Fields): boolean {
  const connection = headers.get("connection");
  return connection !== undefined && CLOSE.test(connection);
}

/** A shorter head has fewer fields than the limit. */
const SHORT_HEAD_CHARS = 1_024;
/** Lines of fields up to the end. */
const FIELD_LINES = /(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*)*$/y;

/** The fields of a head, from the end of its status line. */
function fieldsIn(text: string, from: number): Fields {
  FIELD_LINES.lastIndex = from;
  const isUsual = text.length < SHORT_HEAD_CHARS && !text.includes("\t");
  if (isUsual && FIELD_LINES.test(text)) return new ShortFields(text, from);
  return readFields(text.slice(from + 2).split("\r\n"));
}

/**
 * The fields of a short head without tabs, whose lines were checked together. A call reads three or
 * four of them, so that they are looked up in the text.
 */
class ShortFields implements Fields {
  readonly #text: string;
  readonly #from: number;
  #lower: string | undefined;
  #all: Fields | undefined;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = from;
  }

  get(name: string): string | undefined {
    if (this.#all !== undefined) return this.#all.get(name);
    this.#lower ??= this.#text.toLowerCase();
    const needle = needleOf(name);
    const at = this.#lower.indexOf(needle, this.#from);
    if (at < 0) return undefined;
    // Repeated fields are joined.
    if (this.#lower.includes(needle, at + 1)) return this.#readAll().get(name);
    const start = at + needle.length;
    const end = this.#text.indexOf("\r\n", start);
    return trimmed(this.#text, start, end < 0 ? this.#text.length : end);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  [Symbol.iterator](): Iterator<[name: string, value: string]> {
    return this.#readAll()[Symbol.iterator]();
  }

  #readAll(): Fields {
    this.#all ??= readFields(this.#text.slice(this.#from + 2).split("\r\n"));
    return this.#all;
  }
}

const needles = new Map<string, string>();

/** By field name, of which the code has a few. */
function needleOf(name: string): string {
  let needle = needles.get(name);
  if (needle === undefined) needles.set(name, (needle = `\r\n${name}:`));
  return needle;
}

function readFields(lines: readonly string[]): Fields {
  if (lines.length > MAX_FIELDS) throw new HttpViolation("The response head has too many fields.");
  const fields = new FieldList();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !FIELD_NAME.test(name)) {
      throw new HttpViolation("A field of the response head is malformed.");
    }
    // Parsers differ on whether a tab belongs to these fields.
    if (FRAMING.has(name) && line.includes("\t")) {
      throw new HttpViolation("The response states its length with tabs.");
    }
    fields.add(name, trimmed(line, colon + 1, line.length));
  }
  return fields;
}

/** A compact list of a few fields: a Map takes five times the memory and is not faster. */
class FieldList implements Fields {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  add(name: string, value: string): void {
    const known = this.#names.indexOf(name);
    if (known >= 0) {
      this.#values[known] += `, ${value}`;
      return;
    }
    this.#names.push(name);
    this.#values.push(value);
  }

  get(name: string): string | undefined {
    return this.#values[this.#names.indexOf(name)];
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const [at, name] of this.#names.entries()) yield [name, this.#values[at] ?? ""];
  }
}

const NO_FIELDS: Fields = new FieldList();

/** Removes surrounding spaces and tabs, and no other characters. */
function trimmed(line: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** `end` is the position of the line's LF. */
function readChunkSize(bytes: Buffer, start: number, end: number): number {
  const stop = end - 1;
  let size = 0;
  let at = start;
  for (; at < stop; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
    if (size > Number.MAX_SAFE_INTEGER) throw new HttpViolation("A chunk is too large.");
  }
  if (at === start || bytes[stop] !== CR)
    throw new HttpViolation("A chunk's size is not a number.");
  if (at < stop) refuseOddExtensions(bytes, at, stop);
  return size;
}

function refuseOddExtensions(bytes: Buffer, start: number, end: number): void {
  if (bytes[start] === SEMICOLON && EXTENSIONS.test(bytes.toString("latin1", start, end))) return;
  throw new HttpViolation("A chunk's size is not a number.");
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

import { Buffer } from "node:buffer";
import { Form, type FormPart } from "./form.ts";

/** An invalid form, or a form above a limit; the message is for the client. */
export class FormViolation extends Error {
  override readonly name = "FormViolation";
}

interface FormLimits {
  readonly maxParts: number;
  /** Limit of a part that is not a file. */
  readonly maxFieldBytes: number;
}

const MAX_HEAD_BYTES = 16 * 1024;
/** Limit of lines that only start like a boundary; files contain hardly any. */
const MAX_UNMEANT = 1_000;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads `multipart/form-data` (RFC 7578). Files are views of the body, so that
 * it is in memory only once. A part is a file if it has a file name or a
 * non-text type, because some clients omit the name.
 */
export function parseForm(body: Uint8Array, contentType: string, limits: FormLimits): Form {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new FormViolation("The Content-Type has no boundary.");
  const parts: FormPart[] = [];
  for (const piece of piecesOf(Buffer.from(body.buffer, body.byteOffset, body.length), boundary)) {
    if (parts.length === limits.maxParts) {
      throw new FormViolation(`The form has too many parts: use at most ${limits.maxParts}.`);
    }
    parts.push(readPart(piece, limits));
  }
  return new Form(parts);
}

/** The parts between the boundaries; each boundary starts a line. */
function* piecesOf(body: Buffer, boundary: string): Generator<Buffer> {
  const mark = Buffer.from(`\r\n--${boundary}`);
  // The first boundary may be at the very start, without a line end before it.
  const isAtStart = body.subarray(0, mark.length - 2).equals(mark.subarray(2));
  let at = isAtStart ? mark.length - 2 : nextMark(body, mark, 0) + mark.length;
  for (;;) {
    if (isEnd(body, at)) return;
    const start = body.indexOf("\r\n", at) + 2;
    const end = nextMark(body, mark, start - 2);
    yield body.subarray(start, Math.max(start, end));
    at = end + mark.length;
  }
}

/** Skips longer lines that only start with the boundary. */
function nextMark(body: Buffer, mark: Buffer, from: number): number {
  let unmeant = -1;
  for (let at = body.indexOf(mark, from); at >= 0; at = body.indexOf(mark, at + 1)) {
    if (++unmeant > MAX_UNMEANT) {
      throw new FormViolation("The form's boundary occurs in its content. Use another boundary.");
    }
    const after = at + mark.length;
    if (isEnd(body, after) || /^[ \t]*\r\n/.test(body.toString("latin1", after, after + 64)))
      return at;
  }
  throw new FormViolation("The form is incomplete, or its boundary differs from the Content-Type.");
}

function isEnd(body: Buffer, at: number): boolean {
  return body.toString("latin1", at, at + 2) === "--";
}

function readPart(piece: Buffer, { maxFieldBytes }: FormLimits): FormPart {
  // A part without headers has nothing before the blank line.
  const end = piece.subarray(0, MAX_HEAD_BYTES).indexOf(END_OF_HEAD);
  if (end < 0)
    throw new FormViolation("A part of the form has no headers, or its headers are too long.");
  const head = headersIn(decode(piece.subarray(0, end), "head of a part"));
  const disposition = head.get("content-disposition") ?? "";
  const name = parameterOf(disposition, "name");
  if (name === undefined) throw new FormViolation("A part of the form has no name.");

  const content = piece.subarray(end + END_OF_HEAD.length);
  const filename = parameterOf(disposition, "filename") ?? extendedName(disposition);
  const mediaType = head.get("content-type") ?? "";
  if (filename !== undefined || isBinary(mediaType)) {
    return { name, filename: filename ?? "", mediaType, bytes: content };
  }
  if (content.length > maxFieldBytes) {
    const most = `at most ${maxFieldBytes} bytes. Send larger content as a file`;
    throw new FormViolation(`'${name}' may have ${most}.`);
  }
  return { name, value: decode(content, `field '${name}'`) };
}

function headersIn(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0)
      headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** As browsers write it, or with backslashes, or without quotes. */
function parameterOf(disposition: string, name: "name" | "filename"): string | undefined {
  const pattern = name === "name" ? NAME : FILE_NAME;
  const [, quoted, plain] = pattern.exec(disposition) ?? [];
  return quoted === undefined
    ? plain
    : quoted.replaceAll(ESCAPED, (each) => UNESCAPED[each] ?? each);
}

const NAME = /(?:^|;)\s*name=(?:"((?:\\"|[^"])*)"|([^\s;"]+))/i;
const FILE_NAME = /(?:^|;)\s*filename=(?:"((?:\\"|[^"])*)"|([^\s;"]+))/i;
const EXTENDED_NAME = /(?:^|;)\s*filename\*=utf-8'[^']*'([^\s;]*)/i;
const ESCAPED = /%0D|%0A|%22|\\"/gi;
const UNESCAPED: Readonly<Record<string, string>> = {
  "%0D": "\r",
  "%0d": "\r",
  "%0A": "\n",
  "%0a": "\n",
  "%22": '"',
  '\\"': '"',
};

/** Forms should not contain it, but several clients send it. */
function extendedName(disposition: string): string | undefined {
  const [, written] = EXTENDED_NAME.exec(disposition) ?? [];
  try {
    return written === undefined ? undefined : decodeURIComponent(written);
  } catch {
    return written;
  }
}

function isBinary(mediaType: string): boolean {
  return /^(image|audio|video|application\/octet-stream)/i.test(mediaType);
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new FormViolation(`The ${what} of the form is not valid UTF-8.`);
  }
}

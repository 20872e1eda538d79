import { Buffer } from "node:buffer";
import type { FormPart } from "./form.ts";
import { viewOf } from "./sse-bytes.ts";

/** The bytes are no form, or not the one that their type announces. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const MAX_HEAD_BYTES = 16 * 1024;
const CRLF = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
const DASHES = Buffer.from("--");

/**
 * The parts of `multipart/form-data`, as https://www.rfc-editor.org/rfc/rfc7578
 * and browsers have it. Files are views of the bytes: a recording is held once.
 */
export function* readForm(bytes: Uint8Array, contentType: string): Generator<FormPart> {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw new MalformedForm("The type names no boundary.");
  const view = viewOf(bytes);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(CRLF.length);
  let mark = beginsWith(view, 0, first)
    ? { start: 0, end: first.length }
    : nextMark(view, 0, delimiter);

  while (!beginsWith(view, mark.end, DASHES)) {
    const head = view.indexOf(CRLF, mark.end);
    const body = view.indexOf(BLANK_LINE, head);
    if (head < 0 || body < 0 || body - head > MAX_HEAD_BYTES) {
      throw new MalformedForm("A part has no end to its head.");
    }
    const start = body + BLANK_LINE.length;
    mark = nextMark(view, body + CRLF.length, delimiter);
    yield readPart(view.toString("utf8", head, body), view.subarray(start, mark.start));
  }
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

/** What only begins like the boundary is content. */
function nextMark(bytes: Buffer, from: number, delimiter: Buffer): Mark {
  for (let start = bytes.indexOf(delimiter, from); start >= 0;) {
    const end = start + delimiter.length;
    const rest = bytes.toString("latin1", end, end + 64);
    if (/^(?:--|[ \t]*\r\n)/.test(rest)) return { start, end };
    start = bytes.indexOf(delimiter, end);
  }
  throw new MalformedForm("The form has no end.");
}

function beginsWith(bytes: Buffer, at: number, what: Buffer): boolean {
  return bytes.subarray(at, at + what.length).equals(what);
}

function readPart(head: string, content: Buffer): FormPart {
  const disposition = fieldIn(head, "content-disposition");
  const name = parameterIn(disposition, "name");
  if (name === undefined) throw new MalformedForm("A part has no name.");
  const filename = parameterIn(disposition, "filename");
  if (filename === undefined) return { name, value: content.toString() };
  const mediaType = fieldIn(head, "content-type").trim() || "application/octet-stream";
  return { name, filename, mediaType, bytes: content };
}

function fieldIn(head: string, name: string): string {
  const [, value = ""] = new RegExp(`^${name}:([^\r\n]*)`, "im").exec(head) ?? [];
  return value;
}

/** The second spelling is of clients that keep to ASCII: https://www.rfc-editor.org/rfc/rfc5987 */
function parameterIn(field: string, name: string): string | undefined {
  const [, encoded] = new RegExp(`;\\s*${name}\\*=utf-8''([^;\\s]*)`, "i").exec(field) ?? [];
  if (encoded !== undefined) return decoded(encoded);
  const pattern = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s"]+))`, "i");
  const [, quoted, bare] = pattern.exec(field) ?? [];
  return quoted?.replaceAll(/\\(["\\])/g, "$1") ?? bare;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

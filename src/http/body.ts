import { GatewayError } from "#core/error.ts";
import type { RequestBody } from "#core/style.ts";
import type { Form } from "#lib/form.ts";
import {
  isObject,
  outlineJson,
  type Json,
  type JsonObject,
  type JsonOutline,
  type Revive,
} from "#lib/json.ts";
import { LARGE_BYTES, yieldToEventLoop, noteOtherWork } from "#lib/yield-to-event-loop.ts";
import { FormViolation, parseForm } from "#lib/parse-form.ts";
import { shortenJson } from "#lib/short-json.ts";
import { decompress, tooLarge } from "./decompress.ts";

/** A request body that is still arriving. */
export interface Incoming {
  readonly headers: Headers;
  /** The whole body, within the size limit. */
  receive(): Promise<Uint8Array>;
}

const YAML_TYPE = /^(application|text)\/(x-)?yaml\s*(;|$)/i;
const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i;
const FORM_LIMITS = { maxParts: 200, maxFieldBytes: 1024 * 1024 };
/**
 * Limit of JSON values: parsing costs far more than sending. A request with thousands of messages
 * has a tenth.
 */
const MAX_PARTS = 500_000;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A parsed body whose long base64 strings are references into the received bytes. */
export interface PlacedBody {
  readonly bytes: Uint8Array;
  readonly json: JsonObject;
}

/** Reads the JSON body within the limits; each refusal states the reason. */
export async function readJsonBody(body: Incoming, maxDepth: number): Promise<RequestBody> {
  const bytes = await readJsonBytes(body);
  await yieldToEventLoop(bytes.length);
  const text = decode(bytes);
  await yieldToEventLoop(bytes.length);
  return readBody(text, maxDepth);
}

/**
 * The same for a short body of known length, which is not compressed: in one step after it arrived.
 */
export async function readShortJson(request: Request, maxDepth: number): Promise<RequestBody> {
  requireJson(request.headers);
  noteOtherWork();
  let bytes: Uint8Array;
  try {
    bytes = await request.bytes();
  } catch (cause) {
    throw notWhole(cause);
  }
  return readBody(decode(bytes), maxDepth);
}

/** The same, without copying long base64 strings; for readers that support the references. */
export async function readPlacedBody(body: Incoming, maxDepth: number): Promise<PlacedBody> {
  const bytes = await readJsonBytes(body);
  const short = await shortenJson(bytes);
  await yieldToEventLoop(short.bytes.length);
  const { json } = readBody(decode(short.bytes), maxDepth, short.revive);
  return { bytes, json };
}

async function readJsonBytes(body: Incoming): Promise<Uint8Array> {
  requireJson(body.headers);
  return await body.receive();
}

function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  if (type === null || type === "application/json" || JSON_TYPE.test(type)) return;
  throw new GatewayError("unsupported_media_type", "The Content-Type must be 'application/json'.");
}

/** Reads a form with files, within the limits; undefined if the content type is not a form. */
export async function readFormBody(body: Incoming): Promise<Form | undefined> {
  const type = body.headers.get("content-type") ?? "";
  if (!FORM_TYPE.test(type)) return undefined;
  const bytes = await body.receive();
  try {
    return parseForm(bytes, type, FORM_LIMITS);
  } catch (cause) {
    if (!(cause instanceof FormViolation)) throw cause;
    throw new GatewayError("invalid_request", cause.message, { cause });
  }
}

/** The bytes of a YAML body, within the limit. */
export async function readYamlBody(body: Incoming): Promise<Uint8Array> {
  if (YAML_TYPE.test(body.headers.get("content-type") ?? "")) return await body.receive();
  throw new GatewayError("unsupported_media_type", "The Content-Type must be 'application/yaml'.");
}

/** Parses the text of a body from any source. */
export function readBody(text: string, maxDepth: number, revive?: Revive): RequestBody {
  const outline = outlineJson(text, maxDepth, MAX_PARTS);
  if (outline.parts > MAX_PARTS) {
    throw new GatewayError(
      "too_large",
      `The body has more than ${MAX_PARTS} objects, lists and fields.`,
    );
  }
  if (outline.depth > maxDepth) {
    throw new GatewayError("invalid_request", `The body nests deeper than ${maxDepth} levels.`);
  }
  const json = parse(text, revive);
  if (!isObject(json)) {
    throw new GatewayError("invalid_request", "The body must be a JSON object.");
  }
  if (outline.memberCount !== countOf(json)) refuseRepeated(outline);
  return { text, outline, json };
}

function countOf(json: JsonObject): number {
  let count = 0;
  for (const _ in json) count++;
  return count;
}

function refuseRepeated({ repeated: [repeated] }: Pick<JsonOutline, "repeated">): void {
  if (repeated === undefined) return;
  throw new GatewayError("invalid_request", `'${repeated}' occurs twice in the body.`, {
    param: repeated,
  });
}

/** The bytes of a body of any content type, within the limit. */
export async function readContent(request: Request, maxBytes: number): Promise<Uint8Array> {
  return await openContent(request, await readBytes(request, maxBytes), maxBytes);
}

/** The body after decompression. */
export async function openContent(
  { headers }: Request,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  if (!isCompressed(headers)) return bytes;
  return await decompress(bytes, headers.get("content-encoding") ?? "", maxBytes);
}

/** The same; undefined if it exceeds the limit. */
export async function openAtMost(
  request: Request,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  try {
    return await openContent(request, bytes, maxBytes);
  } catch (cause) {
    if (GatewayError.from(cause).code === "too_large") return undefined;
    throw cause;
  }
}

export function isCompressed(headers: Headers): boolean {
  const coding = headers.get("content-encoding");
  return coding !== null && coding !== "" && coding !== "identity";
}

/** The bytes as received, compressed or not. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (announced >= LARGE_BYTES) return await readLarge(request, announced);
  noteOtherWork();
  if (Number.isFinite(announced)) return await readAll(request);

  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

/**
 * Allocates the announced size at once: growing a buffer repeatedly copies it and takes longer than
 * all other steps.
 */
async function readLarge(request: Request, sizeBytes: number): Promise<Uint8Array> {
  const all = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  let passedAt = 0;
  try {
    for await (const chunk of request.body ?? []) {
      all.set(chunk, at);
      at += chunk.length;
      if (at - passedAt < LARGE_BYTES) continue;
      await yieldToEventLoop(at - passedAt);
      passedAt = at;
    }
  } catch (cause) {
    throw notWhole(cause);
  }
  if (at < sizeBytes) throw notWhole();
  return all;
}

async function readAll(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (cause) {
    throw notWhole(cause);
  }
}

function notWhole(cause?: unknown): GatewayError {
  return new GatewayError("canceled", "The body is incomplete.", { cause });
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The body is not valid UTF-8.", { cause });
  }
}

function parse(text: string, revive: Revive | undefined): Json {
  try {
    return JSON.parse(text, revive) as Json;
  } catch (cause) {
    const why =
      text.trim() === ""
        ? "The body is empty; a JSON object was expected."
        : "The body is not valid JSON.";
    throw new GatewayError("invalid_request", why, { cause });
  }
}

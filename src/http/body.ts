import { GatewayError } from "#core/error.ts";
import type { RequestBody } from "#core/style.ts";
import { Form, type FormPart } from "#lib/form.ts";
import { decompress, tooLarge } from "./decompress.ts";
import { isObject, outlineJson, type Json } from "#lib/json.ts";
import { MalformedForm, readForm } from "#lib/read-form.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

const YAML_TYPE = /^(application|text)\/(x-)?yaml\s*(;|$)/i;
const FORM_TYPE = /^multipart\/form-data\s*;/i;
const MAX_PARTS = 200;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The request's JSON body, within limits, with every refusal in plain words. */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<RequestBody> {
  const type = request.headers.get("content-type");
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      "The Content-Type must be 'application/json'.",
    );
  }
  return readBody(decode(await readContent(request, limits.maxBytes)), limits.maxDepth);
}

/** A form with files in it, within a limit; undefined where the body says to be something else. */
export async function readFormBody(request: Request, maxBytes: number): Promise<Form | undefined> {
  const type = request.headers.get("content-type") ?? "";
  if (!FORM_TYPE.test(type)) return undefined;
  const bytes = await readContent(request, maxBytes);
  const parts: FormPart[] = [];
  try {
    for (const part of readForm(bytes, type)) {
      if (parts.length === MAX_PARTS) {
        throw new GatewayError("invalid_request", `A form may have ${MAX_PARTS} parts, not more.`);
      }
      parts.push(part);
    }
  } catch (cause) {
    if (!(cause instanceof MalformedForm)) throw cause;
    throw new GatewayError("invalid_request", "The body is no valid form.", { cause });
  }
  return new Form(parts);
}

/** The bytes of a YAML body, within a limit. */
export async function readYamlBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (YAML_TYPE.test(request.headers.get("content-type") ?? "")) {
    return await readContent(request, maxBytes);
  }
  throw new GatewayError("unsupported_media_type", "The Content-Type must be 'application/yaml'.");
}

/** The text of a body, read; however it came. */
export function readBody(text: string, maxDepth: number): RequestBody {
  const outline = outlineJson(text, maxDepth);
  if (outline.depth > maxDepth) {
    throw new GatewayError("invalid_request", `The body nests deeper than ${maxDepth} levels.`);
  }
  const json = parse(text);
  if (!isObject(json)) {
    throw new GatewayError("invalid_request", "The body must be a JSON object.");
  }
  const [repeated] = outline.repeated;
  if (repeated !== undefined) {
    throw new GatewayError("invalid_request", `'${repeated}' stands twice in the body.`, {
      param: repeated,
    });
  }
  return { text, outline, json };
}

async function readContent(request: Request, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readBytes(request, maxBytes);
  const coding = request.headers.get("content-encoding");
  if (coding === null || coding === "" || coding === "identity") return bytes;
  return await decompress(bytes, coding, maxBytes);
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(maxBytes);
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

async function readAll(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (cause) {
    throw new GatewayError("canceled", "The body did not arrive whole.", { cause });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The body is not valid UTF-8.", { cause });
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const why =
      text.trim() === ""
        ? "The body is empty; a JSON object was expected."
        : "The body is not valid JSON.";
    throw new GatewayError("invalid_request", why, { cause });
  }
}

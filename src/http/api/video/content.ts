import { GatewayError, invalid } from "#core/error.ts";
import { VARIANTS, type Variant } from "#core/kept-media.ts";
import type { Task, TaskStatus } from "#core/task.ts";
import { formatContentRange, parseByteRange } from "#lib/byte-range.ts";
import { pushStream, type Sink } from "#lib/push-stream.ts";
import { buildError } from "#styles/text/chat/error.ts";
import type { Content, ContentRequest } from "#relay/content/content.ts";
import { isVendorKeyHeader } from "#http/credential.ts";
import { FILE_ANSWER } from "#http/answer.ts";
import type { TaskFileDeps, VideoDeps } from "#http/deps/videos.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { CONTENT_QUERY } from "./answers.ts";
import { requireTask } from "./serve-task.ts";

/** Task status as clients see it. */
const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  running: "in_progress",
  succeeded: "succeeded",
  failed: "failed",
};

/** Headers of every response that contains a file. */
const FILE_HEADERS = {
  "cache-control": "public, max-age=86400",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
};

const MAX_INDEX = 1_000;
const IF_RANGE = /^[\x20-\x7e]{1,256}$/;
/** A short range request: its response has the file's media type and length. */
const A_LOOK = { first: 0, last: 63 };
/** Players request a few bytes at a time, and some require an exact `Content-Length`. */
const SMALL_BYTES = 256 * 1024;

export const getContent: Endpoint<TaskFileDeps & Pick<VideoDeps, "tasks">> = {
  operationId: "getVideoContent",
  tag: "Result files",
  query: CONTENT_QUERY,
  answer: FILE_ANSWER,
  method: "GET",
  path: "/v1/videos/:id/content",
  access: "key",
  family: "videos",
  isFile: true,
  summary:
    "The file of a finished video, requested in any protocol; `index` and `variant` select another file. Accepts HEAD and one Range.",
  renderError: buildError,

  handle: (exchange, deps) => {
    const find = () => requireTask(exchange, exchange.param("id"), deps);
    return serveFile(exchange, find, exchange.query, deps);
  },
};

/** For clients that download results without a key, as they do from the vendor. */
export const getSignedContent: Endpoint<TaskFileDeps & Pick<VideoDeps, "tasks" | "taskLinker">> = {
  operationId: "getSignedVideoContent",
  tag: "Result files",
  query: CONTENT_QUERY,
  answer: FILE_ANSWER,
  method: "GET",
  path: "/v1/videos/:id/file",
  access: "link",
  isFile: true,
  summary:
    "The file of a finished video, by the signed link of an answer. Accepts HEAD and one Range.",
  renderError: buildError,

  handle: (exchange, deps) => {
    const find = async (): Promise<Task> => {
      const id = exchange.param("id");
      const userId = deps.taskLinker.userOf(id, exchange.query);
      const task = userId === undefined ? undefined : await deps.tasks.see(userId, id);
      if (task !== undefined) return task;
      throw new GatewayError("not_found", "This link is invalid or has expired.");
    };
    return serveFile(exchange, find, exchange.query, deps);
  },
};

/** Responds with a file of the task. `query`: selects the file. */
export async function serveFile(
  exchange: Exchange,
  find: () => Promise<Task>,
  query: URLSearchParams,
  deps: TaskFileDeps,
): Promise<Response> {
  try {
    return await serveContent(exchange, await find(), query, deps);
  } catch (cause) {
    // A missing file may be available later, so caches must not store this response.
    exchange.announce({ "cache-control": "no-store" });
    throw cause;
  }
}

async function serveContent(
  exchange: Exchange,
  task: Task,
  query: URLSearchParams,
  deps: TaskFileDeps,
): Promise<Response> {
  if (task.status !== "succeeded") throw notThere(task);
  const { request } = exchange;
  const isHead = request.method === "HEAD";
  const range = isHead ? A_LOOK : parseByteRange(request.headers.get("range"));
  if (range === "several") throw unsatisfiable();

  using _pause = exchange.suspendIdleTimeout();
  const contentRequest = {
    ...readWish(exchange, query),
    ...(range === undefined ? {} : { range }),
  };
  const content = await deps.contents.open(task, contentRequest, exchange.key?.id ?? task.keyId);
  try {
    return await respond(exchange, task, content, contentRequest, deps);
  } catch (cause) {
    content.close();
    throw cause;
  }
}

function notThere({ status }: Task): GatewayError {
  const word = WORDS[status];
  return new GatewayError(
    "invalid_request",
    status === "failed"
      ? `This task has no video: its status is '${word}'.`
      : `This video is not completed yet: its status is '${word}'.`,
  );
}

function readWish({ request, signal }: Exchange, query: URLSearchParams): ContentRequest {
  const index = query.get("index") ?? "0";
  if (!/^\d{1,4}$/.test(index) || Number(index) > MAX_INDEX) {
    throw invalid("index", `'index' must be a whole number from 0 to ${MAX_INDEX}.`);
  }
  const variant = query.get("variant") ?? "video";
  if (!isVariant(variant))
    throw invalid("variant", `'variant' must be one of ${VARIANTS.join(", ")}.`);
  const ifRange = request.headers.get("if-range");
  return {
    index: Number(index),
    variant,
    signal,
    ...(ifRange !== null && IF_RANGE.test(ifRange) ? { ifRange } : {}),
  };
}

function isVariant(word: string): word is Variant {
  return VARIANTS.some((each) => each === word);
}

async function respond(
  exchange: Exchange,
  task: Task,
  content: Content,
  { index, variant }: ContentRequest,
  deps: Pick<VideoDeps, "limits">,
): Promise<Response> {
  const isHead = exchange.request.method === "HEAD";
  if (content.status === 416) {
    const { sizeBytes } = content;
    if (sizeBytes !== undefined) exchange.announce({ "content-range": `bytes */${sizeBytes}` });
    throw unsatisfiable();
  }
  const headers = {
    ...FILE_HEADERS,
    vary: credentialHeaders(exchange),
    "x-request-id": exchange.id,
    "request-id": exchange.id,
    "content-type": content.mediaType,
    "content-disposition": `inline; filename="${nameOf(task, index, variant, content.mediaType)}"`,
    ...fieldsOf(content, isHead),
  };
  if (isKnown(exchange.request.headers.get("if-none-match"), content.etag)) {
    content.close();
    return new Response(null, { status: 304, headers: unchanged(headers) });
  }
  if (isHead) {
    content.close();
    return new Response(null, { headers });
  }
  const { status, body } = content;
  const lengthBytes = lengthOf(content);
  if (body instanceof Blob) {
    content.close();
    exchange.setStall(deps.limits.callerStallMs);
    return new Response(body, { status, headers });
  }
  if (lengthBytes !== undefined && lengthBytes <= SMALL_BYTES) {
    const bytes = await collect(body, lengthBytes);
    content.close();
    return new Response(bytes, { status, headers });
  }
  exchange.setStall(deps.limits.callerStallMs);
  // If the client left before the response started, the response body is never read: close the
  // file.
  if (exchange.signal.aborted) content.close();
  else exchange.signal.addEventListener("abort", () => content.close(), { once: true });
  return new Response(
    pushStream((sink) => send(content, body, sink)),
    { status, headers },
  );
}

/** The file is served byte for byte, so ETags are compared weakly, as for any GET. */
function isKnown(known: string | null, etag: string | undefined): boolean {
  if (known === null || etag === undefined) return false;
  if (known.trim() === "*") return true;
  const plain = (tag: string): string => tag.trim().replace(/^W\//, "");
  return (known.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => plain(tag) === plain(etag));
}

/** A 304 has no body, so headers that describe the body are removed. */
function unchanged(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^content-(?!security)/.test(name)),
  );
}

/** For HEAD, only a few bytes were requested; the headers describe the whole file. */
function fieldsOf(content: Content, isHead: boolean): Record<string, string> {
  const { sizeBytes, span, takesRanges, etag, lastModified } = content;
  const lengthBytes = isHead ? sizeBytes : lengthOf(content);
  return {
    ...(lengthBytes === undefined ? {} : { "content-length": String(lengthBytes) }),
    ...(isHead || span === undefined ? {} : { "content-range": rangeOf(span, sizeBytes) }),
    ...(takesRanges ? { "accept-ranges": "bytes" } : {}),
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { "last-modified": lastModified }),
  };
}

function lengthOf({ span, sizeBytes }: Content): number | undefined {
  return span === undefined ? sizeBytes : span.end - span.start;
}

function rangeOf(span: NonNullable<Content["span"]>, sizeBytes: number | undefined): string {
  return formatContentRange(span, sizeBytes ?? "*");
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["video/quicktime", "mov"],
  ["video/x-matroska", "mkv"],
  ["image/jpeg", "jpg"],
]);

/** The file name uses only letters and digits, never text of a vendor or client. */
function nameOf({ id }: Task, index: number, variant: Variant, mediaType: string): string {
  const ending = ENDINGS.get(mediaType) ?? /^\w+\/([a-z0-9]+)$/.exec(mediaType)?.[1] ?? "bin";
  const which = [index > 0 ? `-${index}` : "", variant === "video" ? "" : `-${variant}`].join("");
  return `${id}${which}.${ending}`;
}

function unsatisfiable(): GatewayError {
  return new GatewayError("range_not_satisfiable", "The file has no such range.");
}

/** The response depends on the credential headers, so `Vary` lists them. */
function credentialHeaders({ request }: Exchange): string {
  const ofVendors = [...request.headers.keys()].filter(isVendorKeyHeader);
  return ["authorization", "x-api-key", "api-key", ...ofVendors].join(", ");
}

async function collect(body: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const piece of body) {
    if (at + piece.length > sizeBytes) throw cutOff();
    bytes.set(piece, at);
    at += piece.length;
  }
  if (at < sizeBytes) throw cutOff();
  return bytes;
}

function cutOff(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The upstream sent a body of another length than its Content-Length.",
  );
}

/**
 * A file has no field for an error: cut the connection, otherwise half a file looks like a whole
 * one.
 */
async function send(
  content: Content,
  body: AsyncIterable<Uint8Array>,
  sink: Sink,
): Promise<"end" | "cut"> {
  const lengthBytes = lengthOf(content);
  let sentBytes = 0;
  try {
    for await (const piece of body) {
      sentBytes += piece.length;
      const wait = sink.write(piece);
      if (wait !== undefined) await wait;
    }
    return lengthBytes === undefined || lengthBytes === sentBytes ? "end" : "cut";
  } catch {
    return "cut";
  } finally {
    content.close();
  }
}

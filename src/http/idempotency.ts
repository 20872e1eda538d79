import { createHash } from "node:crypto";
import { GatewayError } from "#core/error.ts";
import type { IdempotencyRecord, IdempotencyResult, IdempotencyStore } from "#core/idempotency.ts";
import { Form } from "#lib/form.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { concatPieces, Pieces, type Body } from "#lib/pieces.ts";
import type { Clock } from "#lib/clock.ts";
import { keepingContent, type ContentKeeping } from "./content-log.ts";
import { recorder } from "./recorder.ts";
import { toResponse, type Reply, type StreamedReply } from "./reply.ts";
import { requireKey } from "./require-key.ts";
import type { Exchange } from "./routes.ts";

export interface IdempotencyDeps extends ContentKeeping {
  readonly keptAnswers: IdempotencyStore;
  readonly clock: Clock;
  readonly limits: { readonly keptAnswerBytes: number; readonly totalMs: number };
  onError(error: GatewayError, requestId: string): void;
}

/** A parsed body. */
type RequestContent = string | Uint8Array | Form;

/**
 * Serves a request that costs money. If the client sends an `Idempotency-Key`, a repeated request
 * gets the first response and is not charged again. Only a complete response is stored: after a
 * failure, or if the client disconnects, the next request is a new call.
 *
 * `callId`: the id of the call, if it differs from the request id.
 *
 * Throws `still_running`, `key_reused` and `answer_not_kept`.
 */
export function withIdempotency(
  exchange: Exchange,
  question: RequestContent,
  deps: IdempotencyDeps,
  answer: () => Promise<Reply>,
  callId: string = exchange.id,
  recall?: Recall,
): Promise<Response> {
  // The request may be megabytes long: the waiting code must not hold a reference to it.
  const key = exchange.request.headers.get("idempotency-key");
  const claiming = key === null ? undefined : claimOf(key, question, exchange, callId, deps);
  const answering = keepingContent(exchange, question, deps, answer, callId);
  return answerIdempotently(exchange, claiming, deps, answering, recall);
}

/** The answer of an earlier call anew, if what it began is still known. */
type Recall = (callId: string) => Promise<Reply | undefined>;

async function answerIdempotently(
  exchange: Exchange,
  claiming: Promise<IdempotencyRecord> | undefined,
  deps: IdempotencyDeps,
  answer: () => Promise<Reply>,
  recall: Recall | undefined,
): Promise<Response> {
  if (claiming === undefined) return toResponse(await answer(), exchange.id);
  const claim = await claiming;
  const found = await take(claim, deps);
  switch (found.kind) {
    case "claimed":
      return toResponse(await answerKept(claim, exchange, deps, answer), exchange.id);
    case "running":
      throw new GatewayError(
        "still_running",
        "A request with this Idempotency-Key is still running.",
        {
          retryAfterMs: RETRY_AFTER_MS,
        },
      );
    case "other_question":
      throw new GatewayError(
        "key_reused",
        "This Idempotency-Key was used for another request. Use a new key for each request.",
      );
    case "done":
      return replay(await recalled(found, recall), exchange.id);
  }
}

/** A response that was lost in a crash is rebuilt if that costs nothing. */
async function recalled(found: Done, recall: Recall | undefined): Promise<Done> {
  if (found.answer !== undefined || recall === undefined) return found;
  const reply = await recall(found.callId);
  if (reply === undefined || reply.kind === "stream") return found;
  const body = await concatPieces(
    reply.body instanceof Pieces ? reply.body : new Pieces([reply.body]),
  );
  return { ...found, answer: { status: 200, headers: reply.headers, body } };
}

type Done = Extract<IdempotencyResult, { kind: "done" }>;

const RETRY_AFTER_MS = 1_000;
const KEPT_MS = 86_400_000;
/** Time between a call's last deadline and its end. */
const GRACE_MS = 60_000;
/** Maximum time for storing a response. */
const WRITE_MS = 5_000;
const VISIBLE = /^[\x21-\x7e]{1,255}$/;

async function claimOf(
  key: string,
  question: RequestContent,
  exchange: Exchange,
  callId: string,
  { clock, limits }: IdempotencyDeps,
): Promise<IdempotencyRecord> {
  if (!VISIBLE.test(key)) {
    throw new GatewayError(
      "invalid_request",
      "The Idempotency-Key must be 1 to 255 visible ASCII characters.",
      { param: "Idempotency-Key" },
    );
  }
  const { userId } = requireKey(exchange);
  const { method, url } = exchange.request;
  const { pathname, searchParams } = new URL(url);
  // The client's secret is not part of the fingerprint, in any of its locations.
  searchParams.delete("key");
  const at = clock.now();
  return {
    id: await digest(JSON.stringify([userId, method, pathname, key])),
    userId,
    question: await digest(`${searchParams.toString()}\n`, ...piecesOf(question)),
    callId,
    at,
    endsBy: at + limits.totalMs + GRACE_MS,
  };
}

/** A form's boundary differs each time it is sent, so it is left out. */
function piecesOf(question: RequestContent): readonly (string | Uint8Array)[] {
  if (!(question instanceof Form)) return [question];
  return question.parts.flatMap((part) => {
    const { name, ...rest } = part;
    if ("value" in rest) return [JSON.stringify([name, rest.value])];
    return [JSON.stringify([name, rest.filename, rest.bytes.length]), rest.bytes];
  });
}

async function digest(...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const hash = createHash("sha256");
  for (const piece of new Pieces(parts)) {
    await yieldToEventLoop(piece.length);
    hash.update(piece);
  }
  return hash.digest("base64url");
}

/** Without the database, an earlier response cannot be ruled out: the request is refused. */
async function take(
  claim: IdempotencyRecord,
  { keptAnswers }: IdempotencyDeps,
): Promise<IdempotencyResult> {
  try {
    return await keptAnswers.claim(claim);
  } catch (cause) {
    const message = "The gateway's database cannot look up this Idempotency-Key now.";
    throw new GatewayError("unavailable", message, { cause, retryAfterMs: RETRY_AFTER_MS });
  }
}

async function answerKept(
  claim: IdempotencyRecord,
  exchange: Exchange,
  deps: IdempotencyDeps,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  let reply: Reply;
  try {
    reply = await answer();
  } catch (cause) {
    await release(claim, deps);
    throw cause;
  }
  if (reply.kind === "stream") return keepingStream(claim, reply, exchange.signal, deps);
  await keep(claim, reply, await whole(reply.body, deps.limits.keptAnswerBytes), deps);
  return reply;
}

/** `undefined` if it is too long to store. */
async function whole(body: Body, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!(body instanceof Pieces)) return Buffer.from(body);
  return body.sizeBytes > maxBytes ? undefined : await concatPieces(body);
}

/** Streams the response; its end is stored before the client receives it. */
function keepingStream(
  claim: IdempotencyRecord,
  reply: StreamedReply,
  signal: AbortSignal,
  deps: IdempotencyDeps,
): StreamedReply {
  // If the client leaves before the first byte, the response body is never read.
  const onGone = (): void => void release(claim, deps);
  if (signal.aborted) onGone();
  else signal.addEventListener("abort", onGone);

  return {
    ...reply,
    async fill(sink) {
      signal.removeEventListener("abort", onGone);
      const { tee, recorded } = recorder(deps.limits.keptAnswerBytes);
      let isWhole = false;
      try {
        isWhole = await reply.fill(tee(sink));
        return isWhole;
      } finally {
        await (isWhole ? keep(claim, reply, recorded(), deps) : release(claim, deps));
      }
    },
  };
}

async function keep(
  claim: IdempotencyRecord,
  { headers }: Reply,
  body: Uint8Array | undefined,
  deps: IdempotencyDeps,
): Promise<void> {
  const isKept = body !== undefined && body.length <= deps.limits.keptAnswerBytes;
  const answer = isKept ? { status: 200, headers, body } : undefined;
  await write(claim, deps, (store) => store.keep(claim, answer, deps.clock.now() + KEPT_MS));
}

async function release(claim: IdempotencyRecord, deps: IdempotencyDeps): Promise<void> {
  await write(claim, deps, (store) => store.release(claim));
}

/** A failed write must neither withhold a response that was charged nor hide an error. */
async function write(
  { callId }: IdempotencyRecord,
  { keptAnswers, onError }: IdempotencyDeps,
  action: (store: IdempotencyStore) => Promise<void>,
): Promise<void> {
  const { promise: patience, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WRITE_MS);
  const written = action(keptAnswers).catch((cause: unknown) => {
    const message = "The idempotency record could not be updated.";
    onError(new GatewayError("internal", message, { cause }), callId);
  });
  try {
    await Promise.race([written, patience]);
  } finally {
    clearTimeout(timer);
  }
}

function replay({ callId, answer }: Done, requestId: string): Response {
  if (answer === undefined) {
    throw new GatewayError(
      "answer_not_kept",
      `This request was answered and charged as ${callId}, and its answer was not kept. ` +
        "To send the request again, and be charged again, use another Idempotency-Key.",
    );
  }
  const headers = {
    ...answer.headers,
    "x-request-id": requestId,
    "request-id": requestId,
    "idempotent-replayed": "true",
    "original-request-id": callId,
  };
  return new Response(answer.body, { status: answer.status, headers });
}

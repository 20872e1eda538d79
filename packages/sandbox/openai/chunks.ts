import type { Piece } from "../engine/pieces.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Frame } from "../wire/frame.ts";
import { commonFields, usageOf, type ChatReply, type Choice } from "./chat-reply.ts";
import { tokenLogprob } from "./logprobs.ts";
import { padding } from "./padding.ts";
import { speechParts } from "./speech.ts";

export const TERMINATOR: Frame = { kind: "done", data: "[DONE]", tokens: 0 };

/** The answer as a stream of chunks, made as they are taken; several choices take turns. */
export function* chunkFrames(reply: ChatReply): Generator<Frame> {
  const write = chunkWriter(reply);

  for (const { choice, delta, tokens, logprobs = null, finish = null } of inTurns(
    reply.choices.map((choice) => deltas(choice, reply)),
  )) {
    const data = write([reply.dialect.chunkChoice({ index: choice, delta, logprobs, finish })]);
    yield { kind: finish === null ? "delta" : "finish", data, tokens };
  }
  if (reply.request.includeUsage && !reply.faults.nousage) {
    yield { kind: "usage", data: write([], usageOf(reply)), tokens: 0 };
  }
  yield TERMINATOR;
}

interface Delta {
  readonly choice: number;
  readonly delta: JsonObject;
  readonly tokens: number;
  readonly logprobs?: JsonObject | null;
  readonly finish?: string;
}

/** The opening of the choice, its pieces, and the finish reason. */
function* deltas(choice: Choice, reply: ChatReply): Generator<Delta> {
  const { request, dialect, faults, meter } = reply;
  const { index, speech } = choice;
  const writer = dialect.deltas(choice, reply);
  const logprobs = request.logprobs === undefined ? null : { content: [], refusal: null };
  if (writer.opening !== undefined)
    yield { choice: index, delta: writer.opening, tokens: 0, logprobs };
  if (speech !== undefined)
    yield { choice: index, delta: { audio: { id: speech.id, transcript: "" } }, tokens: 0 };

  for (const piece of choice.pieces()) {
    meter.piece(piece);
    const delta = writer.delta(piece);
    if (delta === undefined) continue;
    yield {
      choice: index,
      delta,
      tokens: piece.tokens,
      logprobs: logprobsOf(piece, request.logprobs),
    };
  }

  if (speech !== undefined) {
    for (const { data, tokens } of speechParts(speech)) {
      meter.audio(tokens);
      yield { choice: index, delta: { audio: { id: speech.id, data } }, tokens };
    }
    yield {
      choice: index,
      delta: { audio: { id: speech.id, expires_at: speech.expiresAt } },
      tokens: 0,
    };
  }
  if (!faults.endless)
    yield { choice: index, delta: writer.closing(), tokens: 0, finish: choice.finishReason };
}

function logprobsOf(piece: Piece, alternatives: number | undefined): JsonObject | null {
  if (alternatives === undefined || (piece.kind !== "text" && piece.kind !== "refusal"))
    return null;
  const entries = [tokenLogprob(piece.text, alternatives)];
  return piece.kind === "text"
    ? { content: entries, refusal: null }
    : { content: null, refusal: entries };
}

/** One of each in turn, until all have ended. */
function* inTurns<T>(sources: readonly Iterator<T>[]): Generator<T> {
  let open = sources;
  while (open.length > 0) {
    const going: Iterator<T>[] = [];
    for (const source of open) {
      const next = source.next();
      if (next.done === true) continue;
      going.push(source);
      yield next.value;
    }
    open = going;
  }
}

/** Writes a chunk around choices. With usage asked for, it is null until the last chunk. */
function chunkWriter(reply: ChatReply): (choices: readonly Json[], usage?: JsonObject) => string {
  const { request, dialect, faults } = reply;
  const common = commonFields(reply, "chat.completion.chunk");
  let count = 0;

  return (choices, usage) => {
    const shown = usage ?? (faults.dupusage ? usageOf(reply) : undefined) ?? null;
    const hasUsage =
      shown !== null || dialect.showsNullUsage || (request.includeUsage && !faults.nousage);
    const chunk = { ...common, choices, ...(hasUsage ? { usage: shown } : {}) };
    return JSON.stringify(
      request.includeObfuscation
        ? { ...chunk, obfuscation: padding(JSON.stringify(chunk).length, count++) }
        : chunk,
    );
  };
}

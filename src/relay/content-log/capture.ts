import type { CallOutcome, CallRecord } from "#core/call.ts";
import type { ContentLevel } from "#core/content-log.ts";
import type { Form } from "#lib/form.ts";
import { Pieces, sizeOf, type Body } from "#lib/pieces.ts";
import type { Sink } from "#lib/push-stream.ts";

/** A body as its endpoint read it. */
export type RequestContent = string | Uint8Array | Form;

export interface CaptureStart {
  readonly callId: string;
  readonly level: Exclude<ContentLevel, "off">;
  readonly request: RequestContent;
  /** Its record is written long after the answer, when its task ends. */
  readonly isLasting: boolean;
}

interface Bounds {
  /** More of an answer is not kept. */
  readonly maxAnswerBytes: number;
  /** Room for more bytes; false if the memory is used up. */
  reserve(bytes: number): boolean;
}

/** The request and the answer of a running call, until they are written. */
export class Capture {
  readonly callId: string;
  readonly level: CaptureStart["level"];
  readonly isLasting: boolean;
  /** How the call ended; undefined while it runs, or if it was none. */
  outcome: CallOutcome | undefined;
  /** The task that it created, if that ended before the answer. */
  endedTask: CallRecord | undefined;
  /** The client got an error in place of an answer. */
  isRefused = false;
  readonly #bounds: Bounds;
  readonly #onEnd: (capture: Capture) => void;
  readonly #answer: (string | Uint8Array)[] = [];
  #request: RequestContent;
  #heldBytes = 0;
  #answerBytes = 0;
  #hasAnswer = false;
  #isStream = false;
  #isText = true;
  #isWhole = true;
  #hasEnded = false;
  /** There was no room left: nothing of it is written. */
  isLost = false;

  constructor(
    { callId, level, request, isLasting }: CaptureStart,
    bounds: Bounds,
    onEnd: (capture: Capture) => void,
  ) {
    this.callId = callId;
    this.level = level;
    this.isLasting = isLasting;
    this.#request = request;
    this.#bounds = bounds;
    this.#onEnd = onEnd;
    this.#hold(lengthOf(request));
  }

  get request(): RequestContent {
    return this.#request;
  }

  /** Bytes that it holds in memory. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Undefined if no part of an answer was sent. */
  get answer(): CapturedAnswer | undefined {
    if (!this.#hasAnswer) return undefined;
    return {
      parts: this.#answer,
      sizeBytes: this.#answerBytes,
      isStream: this.#isStream,
      isText: this.#isText,
      isWhole: this.#isWhole,
    };
  }

  /** Takes a complete answer. */
  take(body: Body, contentType: string): void {
    this.#begin(contentType);
    if (!(body instanceof Pieces)) this.#add(body, sizeOf(body));
    else for (const piece of body) this.#add(piece, sizeOf(piece));
  }

  /** A sink that also keeps the passed bytes. */
  tee(sink: Sink, contentType: string): Sink {
    this.#begin(contentType);
    this.#isStream = true;
    return {
      write: (piece) => {
        // A copy, because the buffer of a piece may be reused after it was sent.
        if (this.#isWhole) this.#add(Buffer.from(piece), sizeOf(piece));
        else this.#answerBytes += sizeOf(piece);
        return sink.write(piece);
      },
    };
  }

  /** Takes an error, the whole answer of a call that failed or never was one. */
  refuse(body: Body): void {
    this.isRefused = true;
    this.take(body, "application/json");
    this.end();
  }

  /** The call has ended, with or without an answer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(this);
  }

  /** Gives up everything that it holds. */
  release(): void {
    this.#request = "";
    this.#answer.length = 0;
  }

  #begin(contentType: string): void {
    this.#hasAnswer = true;
    this.#isText = TEXT_TYPE.test(contentType);
  }

  #add(piece: string | Uint8Array, bytes: number): void {
    this.#answerBytes += bytes;
    if (!this.#isText || this.isLost) return;
    if (this.#answerBytes > this.#bounds.maxAnswerBytes) this.#isWhole = false;
    this.#hold(bytes);
    if (!this.isLost) this.#answer.push(piece);
  }

  #hold(bytes: number): void {
    if (!this.#bounds.reserve(bytes)) {
      this.isLost = true;
      this.release();
      return;
    }
    this.#heldBytes += bytes;
  }
}

export interface CapturedAnswer {
  readonly parts: readonly (string | Uint8Array)[];
  readonly sizeBytes: number;
  readonly isStream: boolean;
  /** Sound and files are not kept. */
  readonly isText: boolean;
  /** False if its end was not kept. */
  readonly isWhole: boolean;
}

const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]*json|x-ndjson))/i;

function lengthOf(request: RequestContent): number {
  if (typeof request === "string" || request instanceof Uint8Array) return request.length;
  return request.parts.reduce((sum, part) => sum + ("bytes" in part ? part.bytes.length : 0), 0);
}

import { GatewayError } from "#core/error.ts";
import {
  FEWER_PICTURES,
  estimatedUsage,
  abortedUsage,
  withImageCount,
  type ImageDecoder,
  type ImageEncoder,
  type ImageEvent,
  type ImageRequest,
  type Images,
} from "#core/image.ts";
import { addUsage, type Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { Sink } from "#lib/push-stream.ts";
import { SseDecoder, type SseEvent } from "#lib/sse.ts";
import { explained, type AnswerStream } from "./answer-stream.ts";

/** Writes images as they arrive, and counts their cost. */
export class PictureWriter {
  readonly #question: ImageRequest;
  readonly #encoder: ImageEncoder;
  /** The total, or the sum of separate reports. */
  #reported: Usage | undefined;
  #counted: Usage | undefined;
  #made = 0;
  #failed = 0;
  /** Partial images of an unfinished image were sent. */
  #isUnderWay = false;

  constructor(question: ImageRequest, encoder: ImageEncoder, reported?: Usage) {
    this.#question = question;
    this.#encoder = encoder;
    this.#reported = reported;
  }

  /** Fewer images arrived than were requested. */
  get isShort(): boolean {
    return this.#failed > 0 || this.#made < (this.#question.count ?? 1);
  }

  /** Delivered images are charged, even if the upstream reports no usage. */
  get usage(): Usage {
    const done = this.#reported ?? this.#counted ?? estimatedUsage(this.#question, this.#made);
    if (!this.#isUnderWay) return withImageCount(done, this.#made, this.#question);
    const all = addUsage(done, abortedUsage(this.#question));
    return withImageCount(all, this.#made + 1, this.#question);
  }

  write(event: ImageEvent): string {
    this.#isUnderWay = event.type === "partial";
    if (event.type === "end") {
      this.#reported = event.usage;
      return "";
    }
    if (event.type === "picture") this.#count(event.usage);
    if (event.type === "failed") this.#failed++;
    return this.#encoder.encode(event);
  }

  /** Partial images are not charged: the upstream will not finish the image. */
  giveUp(): void {
    this.#isUnderWay = false;
  }

  end(): string {
    if (this.#made === 0) {
      throw new GatewayError("upstream_failed", "The upstream's answer has no image.");
    }
    return this.#encoder.end(this.usage);
  }

  fail(error: GatewayError): string {
    return this.#encoder.fail(error);
  }

  #count(usage: Usage | undefined): void {
    this.#made++;
    if (usage === undefined) return;
    this.#counted = this.#counted === undefined ? usage : addUsage(this.#counted, usage);
  }
}

/** A streamed response in another format. */
export class ImageStream implements AnswerStream {
  readonly #reply: UpstreamReply;
  readonly #sse: SseDecoder;
  readonly #decoder: ImageDecoder;
  readonly #writer: PictureWriter;
  readonly #lost: readonly string[];
  readonly isTranslated = true;
  isEnding = false;

  /** `maxEventBytes`: one event may contain a whole image. */
  constructor(
    reply: UpstreamReply,
    decoder: ImageDecoder,
    writer: PictureWriter,
    lost: readonly string[],
    maxEventBytes: number,
  ) {
    this.#reply = reply;
    this.#sse = new SseDecoder(maxEventBytes);
    this.#decoder = decoder;
    this.#writer = writer;
    this.#lost = lost;
  }

  /** A shortage of images is known at the end only. */
  get lost(): readonly string[] {
    return this.isEnding && this.#writer.isShort ? [...this.#lost, FEWER_PICTURES] : this.#lost;
  }

  async run(take: Sink["write"]): Promise<void> {
    try {
      await this.#reply.pump((chunk) => this.#pass(this.#sse.push(chunk), take));
      await this.#pass(this.#sse.end(), take);
      if (!this.isEnding) throw brokenOff();
    } catch (cause) {
      const error = GatewayError.from(explained(cause));
      if (error.fault.blame !== "client") this.#writer.giveUp();
      throw error;
    }
  }

  get usage(): Usage {
    return this.#writer.usage;
  }

  takeOutputText(): string {
    return "";
  }

  fail(error: GatewayError): string {
    return this.#writer.fail(error);
  }

  close(): void {
    this.#reply.close();
  }

  #pass(events: readonly SseEvent[], take: Sink["write"]): void | Promise<void> {
    if (this.isEnding) return undefined;
    let out = "";
    try {
      for (const event of events) {
        for (const each of this.#decoder.read(event)) out += this.#writer.write(each);
        if (!this.#decoder.isOver) continue;
        out += this.#writer.end();
        this.isEnding = true;
        break;
      }
    } catch (cause) {
      if (out === "") throw cause;
      // Events before the failure are still sent to the client.
      return Promise.resolve(take(out)).then(() => Promise.reject(cause));
    }
    return out === "" ? undefined : take(out);
  }
}

function brokenOff(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The upstream's response ended before it was complete.",
  );
}

/** A non-streaming response for a client that requested a stream, if the upstream cannot stream. */
export class WholeImages implements AnswerStream {
  readonly #answer: Images;
  readonly #writer: PictureWriter;
  readonly lost: readonly string[];
  readonly isTranslated = true;
  isEnding = false;

  constructor(answer: Images, writer: PictureWriter, lost: readonly string[]) {
    this.#answer = answer;
    this.#writer = writer;
    this.lost = lost;
  }

  async run(take: Sink["write"]): Promise<void> {
    const { pictures, failures = [], about } = this.#answer;
    for (const [index, picture] of pictures.entries()) {
      await take(this.#writer.write({ type: "picture", index, picture, ...(about && { about }) }));
    }
    let out = "";
    for (const [at, error] of failures.entries()) {
      out += this.#writer.write({ type: "failed", index: pictures.length + at, error });
    }
    out += this.#writer.end();
    this.isEnding = true;
    await take(out);
  }

  get usage(): Usage {
    return this.#writer.usage;
  }

  takeOutputText(): string {
    return "";
  }

  fail(error: GatewayError): string {
    return this.#writer.fail(error);
  }

  close(): void {}
}

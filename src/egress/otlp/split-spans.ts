import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";

/** Gives spans that contain messages to a queue of their own, which holds fewer. */
export class SplitSpans implements SpanProcessor {
  readonly #plain: SpanProcessor;
  readonly #content: SpanProcessor;

  constructor(plain: SpanProcessor, content: SpanProcessor) {
    this.#plain = plain;
    this.#content = content;
  }

  /** Queues take spans at their end. */
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const { attributes } = span;
    const hasContent = CONTENT.some((name) => attributes[name] !== undefined);
    (hasContent ? this.#content : this.#plain).onEnd(span);
  }

  async forceFlush(): Promise<void> {
    await Promise.all([this.#plain.forceFlush(), this.#content.forceFlush()]);
  }

  async shutdown(): Promise<void> {
    await Promise.all([this.#plain.shutdown(), this.#content.shutdown()]);
  }
}

const CONTENT = ["gen_ai.input.messages", "gen_ai.output.messages"];

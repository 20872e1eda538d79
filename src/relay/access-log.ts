import type { CallRecord } from "#core/call.ts";
import { FAULTS } from "#core/error.ts";
import { withinTime } from "#lib/within-time.ts";
import type { CallObserver } from "./call-observers.ts";
import { KnownModels } from "./metrics/known-models.ts";

interface AccessLogDeps {
  /** Writes some lines; calls do not overlap. */
  write(lines: string): Promise<void>;
  /** Lines that could not be written are lost. */
  onError(cause: unknown): void;
  /** Lines were dropped because earlier ones were still being written. */
  onDropped(count: number): void;
}

const FLUSH_MS = 250;
const MAX_QUEUED = 20_000;
/** Lines that are written at once: a longer step would delay calls. */
const BATCH = 500;
/** A blocked pipe must not prevent the end of the process. */
const LAST_FLUSH_MS = 2_000;

/** Writes one line of JSON for each call, in batches, so that no call waits for it. */
export class AccessLog implements CallObserver, AsyncDisposable {
  readonly #deps: AccessLogDeps;
  readonly #models = new KnownModels();
  #queue: CallRecord[] = [];
  #dropped = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flushing: Promise<void> | undefined;

  constructor(deps: AccessLogDeps) {
    this.#deps = deps;
  }

  observe(record: CallRecord): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.#dropped++;
      return;
    }
    this.#queue.push(record);
    if (this.#flushing === undefined) this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    if (this.#flushing !== undefined) await withinTime(this.#flushing, LAST_FLUSH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#writeQueue().finally(() => (this.#flushing = undefined));
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH);
      this.#queue = this.#queue.slice(BATCH);
      let lines = "";
      for (const record of batch) lines += `${JSON.stringify(this.#describe(record))}\n`;
      try {
        await this.#deps.write(lines);
      } catch (cause) {
        this.#deps.onError(cause);
      }
    }
    if (this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#deps.onDropped(dropped);
  }

  #describe(record: CallRecord): object {
    const { usage, upstreamMs, overheadMs } = record;
    return {
      time: new Date(record.at).toISOString(),
      id: record.id,
      user: record.userId,
      key: record.keyId,
      endpoint: record.style,
      model: this.#models.nameOf(record) ?? null,
      upstream_model: record.upstreamModel,
      channel: record.channel,
      provider: record.provider,
      stream: record.isStream,
      status: record.fault === null ? statusOf(record) : FAULTS[record.fault].status,
      outcome: record.outcome,
      fault: record.fault,
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      output_tokens: usage.outputTokens,
      reasoning_tokens: usage.reasoningTokens,
      cost_usd: record.cost / 1e9,
      attempts: record.attempts.length,
      first_byte_ms: record.firstByteMs,
      duration_ms: record.durationMs,
      upstream_ms: rounded(upstreamMs),
      overhead_ms: rounded(overheadMs),
    };
  }
}

function statusOf({ outcome }: CallRecord): number {
  return outcome === "canceled" ? FAULTS.canceled.status : 200;
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms * 1_000) / 1_000;
}

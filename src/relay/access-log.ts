import { statusOf } from "#core/call-filter.ts";
import type { CallRecord } from "#core/call.ts";
import { BatchQueue } from "#lib/batch-queue.ts";
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

/** Writes one line of JSON for each call, in batches, so that no call waits for it. */
export class AccessLog implements CallObserver, AsyncDisposable {
  readonly #models = new KnownModels();
  readonly #queue: BatchQueue<CallRecord>;

  constructor({ write, onError, onDropped }: AccessLogDeps) {
    this.#queue = new BatchQueue({
      take: (records) => write(records.map((each) => this.#lineOf(each)).join("")),
      onError,
      onDropped,
      delayMs: FLUSH_MS,
      batchSize: BATCH,
      maxQueued: MAX_QUEUED,
    });
  }

  observe(record: CallRecord): void {
    this.#queue.add(record);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }

  #lineOf(record: CallRecord): string {
    return `${JSON.stringify(this.#describe(record))}\n`;
  }

  #describe(record: CallRecord): object {
    const { usage, upstreamMs, overheadMs } = record;
    return {
      time: new Date(record.at).toISOString(),
      id: record.id,
      user: record.userId,
      key: record.keyId,
      style: record.style,
      endpoint: record.endpoint ?? null,
      model: this.#models.nameOf(record) ?? null,
      upstream_model: record.upstreamModel,
      channel: record.channel,
      provider: record.provider,
      stream: record.isStream,
      status: statusOf(record),
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

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms * 1_000) / 1_000;
}

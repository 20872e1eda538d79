import type { CallRecord } from "#core/call.ts";
import {
  contentLevelFor,
  type CallContent,
  type ContentLevel,
  type ContentText,
  type RedactionKind,
} from "#core/content-log.ts";
import type { ApiKey } from "#core/key.ts";
import { BatchQueue } from "#lib/batch-queue.ts";
import { StepLimitExceeded, type LinearPattern } from "#lib/linear-pattern.ts";
import type { CallObserver } from "../call-observers.ts";
import { Capture, type CaptureStart } from "./capture.ts";
import { describeContent, describeWhole } from "./describe-content.ts";
import { Redactor } from "./redactor.ts";

/** Read on each use: they change while the gateway runs. */
export interface ContentLogSettings {
  readonly contentLog: ContentLevel;
  readonly contentLogRedact: readonly RedactionKind[];
  readonly contentLogPatterns: readonly LinearPattern[];
  readonly limits: {
    readonly contentLogBytes: number;
    readonly contentLogBufferBytes: number;
  };
}

/** The content of a call on its way to the store. */
export interface DescribedCall {
  readonly callId: string;
  readonly content: CallContent;
}

/** The result of a task, which is added to the content of the call that created it. */
export interface DescribedResult {
  readonly callId: string;
  readonly result: ContentText;
}

/** Number of stored contents, and their size as stored. */
export interface StoredSum {
  readonly count: number;
  readonly sizeBytes: number;
}

interface ContentLogDeps {
  readonly settings: ContentLogSettings;
  /** Stores as many of these contents as possible. Calls do not overlap. */
  store(contents: readonly (DescribedCall | DescribedResult)[]): Promise<StoredSum>;
  /** The content of the call that created a task. */
  find(callId: string): Promise<CallContent | undefined>;
  remove(callId: string): Promise<void>;
  /** The state of a task as its client gets it; undefined if the task was deleted. */
  resultOf(taskId: string): Promise<string | undefined>;
  /** Gets the content of each call, as it is to be stored; undefined if the call leaves none. */
  onContent?: ((callId: string, content: CallContent | undefined) => Promise<void>) | undefined;
  onError(cause: unknown): void;
}

/** A place to delay the writing, so that contents are stored several at once. */
const DELAY_MS = 100;
const BATCH = 20;
const MAX_QUEUED = 2_000;
/** Steps of the search for own patterns in one call, for about a fifth of a second. */
const MAX_STEPS = 20_000_000;

/**
 * Stores prompts and answers, as the keys of calls demand. No call waits for it: contents that
 * find no room are dropped and counted.
 */
export class ContentLog implements CallObserver, AsyncDisposable {
  /** Contents since the start. */
  readonly counts = { stored: 0, dropped: 0, failed: 0, unredacted: 0, storedBytes: 0 };
  readonly #deps: ContentLogDeps;
  readonly #running = new Map<string, Capture>();
  readonly #queue: BatchQueue<Capture | CallRecord>;
  #queued = 0;
  #heldBytes = 0;

  constructor(deps: ContentLogDeps) {
    this.#deps = deps;
    this.#queue = new BatchQueue({
      take: (items) => this.#takeAll(items),
      onError: (cause) => deps.onError(cause),
      onDropped: () => {},
      delayMs: DELAY_MS,
      batchSize: BATCH,
      maxQueued: MAX_QUEUED,
    });
  }

  levelFor(key: ApiKey): ContentLevel {
    return contentLevelFor(key, this.#deps.settings.contentLog);
  }

  /** Begins to keep the content of a call. */
  open(start: CaptureStart): Capture {
    const { contentLogBytes } = this.#deps.settings.limits;
    const bounds = {
      maxAnswerBytes: contentLogBytes * EVENT_OVERHEAD,
      reserve: (bytes: number) => this.#reserve(bytes),
    };
    const capture = new Capture(start, bounds, (ended) => this.#end(ended));
    this.#running.set(start.callId, capture);
    return capture;
  }

  /** Whether the content of a call is being kept. */
  isOpen(callId: string): boolean {
    return this.#running.has(callId);
  }

  observe(record: CallRecord): void {
    if (record.isTask) return this.#endTask(record);
    if (this.#running.size === 0) return;
    const capture = this.#running.get(record.id);
    if (capture !== undefined) capture.outcome = record.outcome;
  }

  /** Writes the queued contents. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }

  #reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#deps.settings.limits.contentLogBufferBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Its content may be stored by now, also by another gateway, or still be on its way. */
  #endTask(task: CallRecord): void {
    const capture = this.#running.get(task.id);
    if (capture === undefined) this.#add(task);
    else capture.endedTask = task;
  }

  #end(capture: Capture): void {
    this.#running.delete(capture.callId);
    if (!isWanted(capture)) {
      this.#drop(capture);
    } else if (capture.isLost) {
      this.counts.dropped++;
      this.#drop(capture);
    } else if (!this.#add(capture)) this.#drop(capture);
    else if (capture.endedTask !== undefined) this.#add(capture.endedTask);
  }

  /** False if the queue is full. It counts ended tasks too, so that the queue itself drops nothing. */
  #add(item: Capture | CallRecord): boolean {
    if (this.#queued >= MAX_QUEUED) {
      this.counts.dropped++;
      return false;
    }
    this.#queued++;
    this.#queue.add(item);
    return true;
  }

  /** Nothing of it is stored. */
  #drop(capture: Capture): void {
    this.#release(capture);
    void this.#deps.onContent?.(capture.callId, undefined);
  }

  #release(capture: Capture): void {
    this.#heldBytes -= capture.heldBytes;
    capture.release();
  }

  async #takeAll(items: readonly (Capture | CallRecord)[]): Promise<void> {
    try {
      const captures = items.filter((item) => item instanceof Capture);
      if (captures.length > 0) await this.#storeAll(captures);
      // Their calls are in this batch or an earlier one.
      for (const item of items) if (!(item instanceof Capture)) await this.#storeResult(item);
    } finally {
      this.#queued -= items.length;
    }
  }

  async #storeResult({ id: callId, outcome }: CallRecord): Promise<void> {
    const { find, remove, resultOf } = this.#deps;
    const found = await find(callId);
    if (found === undefined) return;
    if (found.isProvisional && outcome !== "failed") return await remove(callId);
    const text = await resultOf(callId);
    if (text === undefined) return;
    const result = await this.#redacted((redactor, maxChars) =>
      describeWhole(text, redactor, maxChars),
    );
    if (result !== undefined) await this.#store([{ callId, result }]);
  }

  async #storeAll(captures: readonly Capture[]): Promise<void> {
    const described: DescribedCall[] = [];
    for (const capture of captures) {
      const content = await this.#redacted((redactor, maxChars) =>
        describeContent(capture, redactor, maxChars),
      );
      this.#release(capture);
      const { callId } = capture;
      await this.#deps.onContent?.(callId, content);
      if (content === undefined) continue;
      const isProvisional = isOfTask(capture) && capture.level === "errors";
      described.push({ callId, content: { ...content, ...(isProvisional && { isProvisional }) } });
    }
    await this.#store(described);
  }

  async #store(described: readonly (DescribedCall | DescribedResult)[]): Promise<void> {
    let sum: StoredSum = { count: 0, sizeBytes: 0 };
    try {
      sum = await this.#deps.store(described);
    } finally {
      this.counts.stored += sum.count;
      this.counts.storedBytes += sum.sizeBytes;
      this.counts.failed += described.length - sum.count;
    }
  }

  /** Undefined if it cannot be redacted: then it is not stored. */
  async #redacted<T>(
    describe: (redactor: Redactor, maxChars: number) => Promise<T>,
  ): Promise<T | undefined> {
    const { contentLogRedact: kinds, contentLogPatterns: patterns, limits } = this.#deps.settings;
    const redactor = new Redactor({ kinds, patterns }, MAX_STEPS);
    try {
      return await describe(redactor, limits.contentLogBytes);
    } catch (cause) {
      this.counts.unredacted++;
      // A body that takes too long is the client's; other failures are ours.
      if (!(cause instanceof StepLimitExceeded)) this.#deps.onError(cause);
      return undefined;
    }
  }
}

/** The text of an answer is a small part of its events. */
const EVENT_OVERHEAD = 4;

function isWanted(capture: Capture): boolean {
  const { level, outcome } = capture;
  if (isOfTask(capture)) return true;
  return level === "errors" ? outcome === "failed" : outcome !== undefined;
}

/** The call created a task. The record follows at the end of the task. */
function isOfTask({ isLasting, isRefused, outcome }: Capture): boolean {
  return isLasting && !isRefused && outcome === undefined;
}

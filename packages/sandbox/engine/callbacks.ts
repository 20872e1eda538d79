import { setTimeout as sleep } from "node:timers/promises";
import { parseJson, type Json, type JsonObject } from "../json.ts";
import { isLoopback } from "../wire/loopback.ts";
import type { TaskSettings } from "./task-settings.ts";

/** Tells callers of their tasks, where they listen on this machine: nothing ever leaves it. */
export interface CallbackSender extends Disposable {
  /** Sends one webhook at each of the given times. */
  follow(plan: CallbackPlan): void;
  /** Whether whoever listens gives back what is said; off this machine nobody is asked, and all are believed. */
  isEchoed(url: string, body: JsonObject, timeoutMs: number): Promise<boolean>;
  /** The last attempts, oldest first. */
  readonly attempts: readonly CallbackAttempt[];
}

export interface CallbackPlan {
  readonly url: string;
  readonly moments: readonly number[];
  /** Nothing where it did not come to it. */
  message(at: number): CallbackMessage | undefined;
  readonly timeoutMs: number;
  /** The waits before further attempts. */
  readonly retryMs: readonly number[];
  /** Whether a status calls for another attempt; silence always does. */
  isRetried(status: number): boolean;
}

export interface CallbackMessage {
  readonly body: Json;
  /** Made for each attempt anew. */
  headers?(body: string): Readonly<Record<string, string>>;
}

export interface CallbackAttempt {
  readonly url: string;
  readonly body: Json;
  /** From 1. */
  readonly attempt: number;
  /** `undefined` where no answer came. */
  readonly status: number | undefined;
}

export function callbackSender(now: () => number, settings: TaskSettings): CallbackSender {
  const attempts: CallbackAttempt[] = [];
  const ended = new AbortController();
  let plans = 0;

  async function until(at: number): Promise<void> {
    while (now() < at && !ended.signal.aborted) {
      // The clock may be another one than the timers', and jump.
      await pause(Math.min(MAX_NAP_MS, Math.max(1, at - now())));
    }
  }

  async function pause(ms: number): Promise<void> {
    // Rejects only because the sandbox ends, which every caller of this checks.
    await sleep(ms, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
  }

  async function run(plan: CallbackPlan): Promise<void> {
    const isReversed = settings.callbackOrder === "reversed";
    if (isReversed) await until(Math.max(...plan.moments));
    for (const at of isReversed ? plan.moments.toReversed() : plan.moments) {
      await until(at);
      const message = ended.signal.aborted ? undefined : plan.message(at);
      if (message === undefined) continue;
      for (let time = 0; time < settings.callbackTimes; time++) {
        if (!(await attempt(plan, message, 1))) void retry(plan, message);
      }
    }
  }

  /** Beside what follows: a receiver who is slow does not hold up the rest. */
  async function retry(plan: CallbackPlan, message: CallbackMessage): Promise<void> {
    for (const [index, usualMs] of plan.retryMs.entries()) {
      await pause(settings.callbackRetryMs ?? usualMs);
      if (ended.signal.aborted || (await attempt(plan, message, index + 2))) return;
    }
  }

  /** Whether it is over with this message. */
  async function attempt(
    { url, timeoutMs, isRetried }: CallbackPlan,
    { body, headers }: CallbackMessage,
    number: number,
  ): Promise<boolean> {
    const text = JSON.stringify(body);
    const response = await send(url, text, headers?.(text) ?? {}, timeoutMs);
    // Fails where the sandbox has ended since the head arrived: nobody wants the rest then, either.
    await response?.body?.cancel().catch(() => undefined);
    const status = response?.status;
    note({ url, body, attempt: number, status });
    return status !== undefined && !isRetried(status);
  }

  /** Nothing where nobody answers: what is written down says so, and the next attempt follows. */
  async function send(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<Response | undefined> {
    try {
      return await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        redirect: "manual",
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]),
      });
    } catch {
      return undefined;
    }
  }

  function note(attempt: CallbackAttempt): void {
    attempts.push(attempt);
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
  }

  return {
    attempts,
    follow(plan) {
      if (!isLoopback(plan.url) || plan.moments.length === 0 || plans >= MAX_PLANS) return;
      plans++;
      void run(plan).finally(() => plans--);
    },
    async isEchoed(url, body, timeoutMs) {
      if (!isLoopback(url)) return true;
      const response = await send(url, JSON.stringify(body), {}, timeoutMs);
      note({ url, body, attempt: 1, status: response?.status });
      const answer = parseJson(await beginningOf(response));
      return Bun.deepEquals(answer, body);
    },
    [Symbol.dispose]: () => ended.abort(),
  };
}

const MAX_PLANS = 2_000;
const MAX_ATTEMPTS = 1_000;
const MAX_NAP_MS = 500;
const MAX_ANSWER_BYTES = 65_536;

/** An answer is as short as a question, or is none to it. */
async function beginningOf(response: Response | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of response?.body ?? []) {
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // Broken off in between: what has come is no answer, which shows.
  }
  return Buffer.concat(parts).toString("utf8");
}

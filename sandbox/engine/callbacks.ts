import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "#sandbox/json.ts";
import { isLoopback } from "#sandbox/wire/loopback.ts";
import type { TaskSettings } from "./task-settings.ts";

/** Tells callers of their tasks, where they listen on this machine: nothing ever leaves it. */
export interface CallbackSender extends Disposable {
  /** Sends what there is to tell at each of the moments, when it has come. */
  follow(plan: CallbackPlan): void;
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
    let status: number | undefined;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers?.(text) },
        body: text,
        redirect: "manual",
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]),
      });
      status = response.status;
      await response.body?.cancel();
    } catch {
      // Nobody answered: what is written down says so, and the next attempt follows.
    }
    attempts.push({ url, body, attempt: number, status });
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
    return status !== undefined && !isRetried(status);
  }

  return {
    attempts,
    follow(plan) {
      if (!isLoopback(plan.url) || plan.moments.length === 0 || plans >= MAX_PLANS) return;
      plans++;
      void run(plan).finally(() => plans--);
    },
    [Symbol.dispose]: () => ended.abort(),
  };
}

const MAX_PLANS = 2_000;
const MAX_ATTEMPTS = 1_000;
const MAX_NAP_MS = 500;

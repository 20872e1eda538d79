import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import type { Sink } from "#lib/push-stream.ts";
import { SseOverflow } from "#lib/sse.ts";

/** An answer under way to the caller, whether passed on or translated. */
export interface AnswerStream {
  /**
   * Hands over the answer piece by piece, whole events only; a promise from
   * `take` holds the upstream back. Settles at the answer's proper end, or
   * with what broke it.
   */
  run(take: Sink["write"]): Promise<void>;
  /** What was handed over last ends the answer: it must not leave before the call is settled. */
  readonly isEnding: boolean;
  /** Content of the answer was handed over. If absent, whatever is handed over is content. */
  readonly hasContent?: boolean;
  /** Came from the upstream, and was not taken yet. */
  readonly waitingBytes?: number;
  /** As the upstream reported it, so far. */
  readonly usage: Usage | undefined;
  /** Of the question, where it is told before the answer can be. */
  readonly inputUsage?: Usage | undefined;
  /** Output since the last call, for a local count. */
  takeOutputText(): string;
  readonly lost: readonly string[];
  /** Written by us, and not passed on as the upstream wrote it. */
  readonly isTranslated: boolean;
  /** A failure after the first byte, in the words of the caller's style. */
  fail(error: GatewayError): string;
  /** Lets go of the upstream; cuts it when it is still answering. */
  close(): void;
}

/** What the reading of events throws, in our words. */
export function explained(cause: unknown): unknown {
  if (!(cause instanceof SseOverflow)) return cause;
  return new GatewayError("upstream_failed", "The upstream sent an event that is too long.", {
    cause,
  });
}

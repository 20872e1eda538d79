import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import type { Sink } from "#lib/push-stream.ts";
import { SseOverflow } from "#lib/sse.ts";

/** A response stream to the client, passed through or translated. */
export interface AnswerStream {
  /**
   * Writes the response piece by piece, whole events only; a promise from `take` pauses the
   * upstream. Resolves at the complete end, and rejects with the failure.
   */
  run(take: Sink["write"]): Promise<void>;
  /** The last piece ends the response: send it only after the call is settled. */
  readonly isEnding: boolean;
  /** Content was written. If undefined, every piece is content. */
  readonly hasContent?: boolean;
  /** Bytes that arrived from the upstream and are not yet processed. */
  readonly waitingBytes?: number;
  /** The upstream's report so far. */
  readonly usage: Usage | undefined;
  /** Input usage, if the upstream reports it before the output. */
  readonly inputUsage?: Usage | undefined;
  /** Output text since the last call, for local counting. */
  takeOutputText(): string;
  readonly lost: readonly string[];
  /** Written by the gateway, and not passed through from the upstream. */
  readonly isTranslated: boolean;
  /** An error after the first byte, in the format of the client's style. */
  fail(error: GatewayError): string;
  /** Releases the upstream; aborts it if the response is not complete. */
  close(): void;
}

/** Converts errors of the event parser to the gateway's errors. */
export function explained(cause: unknown): unknown {
  if (!(cause instanceof SseOverflow)) return cause;
  return new GatewayError("upstream_failed", "The upstream sent an event that is too long.", {
    cause,
  });
}

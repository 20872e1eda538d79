import type { HoldContext } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";

export interface Checkpoint {
  readonly delivered: NanoUsd;
  /** JSON of the `HoldContext`, if it changes. */
  readonly context: string | null;
}

/**
 * The delivered output of running calls: only the latest value of each, written
 * together at intervals.
 */
interface Checkpoints {
  note(callId: string, delivered: NanoUsd, context: HoldContext | undefined): void;
  forget(callId: string): void;
  close(): void;
}

export function openCheckpoints(
  intervalMs: number,
  flush: (checkpoints: ReadonlyMap<string, Checkpoint>) => void,
): Checkpoints {
  let pending = new Map<string, Noted>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    note(callId, delivered, context) {
      pending.set(callId, { delivered, context });
      timer ??= setTimeout(() => {
        timer = undefined;
        const noted = pending;
        pending = new Map();
        if (noted.size > 0)
          flush(new Map([...noted].map(([id, each]) => [id, toCheckpoint(each)])));
      }, intervalMs);
    },
    forget: (callId) => void pending.delete(callId),
    close() {
      clearTimeout(timer);
      timer = undefined;
      pending.clear();
    },
  };
}

interface Noted {
  readonly delivered: NanoUsd;
  readonly context: HoldContext | undefined;
}

function toCheckpoint({ delivered, context }: Noted): Checkpoint {
  return { delivered, context: context === undefined ? null : JSON.stringify(context) };
}

import type { NanoUsd } from "#core/money.ts";

/** What running calls have delivered: only the latest of each, written together now and then. */
export interface Checkpoints {
  note(callId: string, delivered: NanoUsd): void;
  forget(callId: string): void;
  close(): void;
}

export function openCheckpoints(
  intervalMs: number,
  flush: (amounts: ReadonlyMap<string, NanoUsd>) => void,
): Checkpoints {
  let pending = new Map<string, NanoUsd>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    note(callId, delivered) {
      pending.set(callId, delivered);
      timer ??= setTimeout(() => {
        timer = undefined;
        const amounts = pending;
        pending = new Map();
        if (amounts.size > 0) flush(amounts);
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

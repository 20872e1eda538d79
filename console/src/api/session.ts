import { useSyncExternalStore } from "react";

/** Whether the gateway refused the session of this page. */
const listeners = new Set<() => void>();
let hasEnded = false;

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => hasEnded,
  );
}

export function endSession(): void {
  set(true);
}

export function resumeSession(): void {
  set(false);
}

function set(ended: boolean): void {
  if (hasEnded === ended) return;
  hasEnded = ended;
  for (const listener of listeners) listener();
}

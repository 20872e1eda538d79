/**
 * Thousands of pending waits on one timer: a wait is a place in a ring of slots
 * of a millisecond each. A late wheel fires a wait once, however late it is, so
 * that two events of a stream stay apart even on a busy machine.
 */
export function openWheel<T>(fire: (entry: T) => void): (entry: T, delayMs: number) => void {
  const slots: T[][] = Array.from({ length: SLOTS }, () => []);
  let waiting = 0;
  let cursorMs = 0;
  let timer: Timer | undefined;

  return function wait(entry, delayMs) {
    const nowMs = Math.floor(performance.now());
    if (timer === undefined) {
      cursorMs = nowMs;
      timer = setInterval(turn, 1);
    }
    slots[(nowMs + Math.min(Math.max(delayMs, 1), MAX_DELAY_MS)) % SLOTS]?.push(entry);
    waiting++;
  };

  function turn(): void {
    const nowMs = Math.floor(performance.now());
    const due: T[] = [];
    for (let slotMs = Math.max(cursorMs, nowMs - SLOTS) + 1; slotMs <= nowMs; slotMs++) {
      const slot = slots[slotMs % SLOTS];
      if (slot === undefined || slot.length === 0) continue;
      due.push(...slot);
      slot.length = 0;
    }
    cursorMs = nowMs;
    waiting -= due.length;
    // Fired after the walk: what is put back meanwhile waits for its own turn.
    for (const entry of due) fire(entry);

    if (waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
}

const MAX_DELAY_MS = 500;
/** Twice the longest delay: that much lateness still keeps every wait in its place. */
const SLOTS = 2 * MAX_DELAY_MS;

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * What the runtime's own log says about collections. A process writes it to its
 * standard error if `BUN_JSC_logGC=1`. The runtime's timer is off, since a
 * collection by the timer does not say how much was allocated before it.
 */
export const GC_LOG_ENV: Readonly<Record<string, string>> = {
  BUN_JSC_logGC: "1",
  BUN_GC_TIMER_DISABLE: "1",
};

interface Collections {
  /** Bytes allocated before the collections, of all threads. */
  readonly bytes: number;
  /** Of the heap that allocated most: the main thread's. */
  readonly mainBytes: number;
  readonly count: number;
  /** Ms in which a thread stood still. */
  readonly pausesMs: readonly number[];
}

/** Returns a function that reads what was logged since. */
export function followGcLog(logPath: string): () => Collections {
  const from = sizeOf(logPath);
  return () => parseGcLog(readFrom(logPath, from));
}

/**
 * The line that tells why a heap collects comes before the line that names the
 * heap. Lines of two heaps seldom mix, and that only changes the share of each.
 */
export function parseGcLog(text: string): Collections {
  const bytesByHeap = new Map<string, number>();
  const pausesMs: number[] = [];
  let bytes = 0;
  let asked = 0;
  for (const line of text.split("\n")) {
    asked += Number(/bytes allocated this cycle: (\d+)/.exec(line)?.[1] ?? 0);
    const heap = /^\[GC<(\w+)>: START/.exec(line)?.[1];
    if (heap !== undefined) {
      bytesByHeap.set(heap, (bytesByHeap.get(heap) ?? 0) + asked);
      bytes += asked;
      asked = 0;
    }
    const pause = /, p=([\d.]+)ms/.exec(line)?.[1];
    if (pause !== undefined) pausesMs.push(Number(pause));
  }
  const mainBytes = Math.max(0, ...bytesByHeap.values());
  return { bytes, mainBytes, count: pausesMs.length, pausesMs };
}

function sizeOf(path: string): number {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function readFrom(path: string, from: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - from);
    readSync(file, bytes, 0, bytes.length, from);
    return bytes.toString();
  } finally {
    closeSync(file);
  }
}

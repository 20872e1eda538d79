import { heapStats } from "bun:jsc";
import { writeFileSync } from "node:fs";
import { Session, type Profiler } from "node:inspector";
import { isMainThread, threadId } from "node:worker_threads";

/**
 * Runs in the program under test, before it, and in each of its workers. Each
 * SIGUSR2 begins or ends a measurement; at its end every thread writes what it
 * found into `BENCH_FOLDER`.
 */
const { BENCH_FOLDER: folder = ".", BENCH_MEASURES: measures } = process.env;
const INTERVAL_MICROS = 500;
const threads = new BroadcastChannel("bench-profile");
threads.unref();

const toggle = measures === "allocations" ? openCounts() : openProfiler();
threads.onmessage = toggle;
if (isMainThread) {
  process.on("SIGUSR2", () => {
    threads.postMessage(undefined);
    toggle();
  });
  const { Worker } = globalThis;
  globalThis.Worker = class extends Worker {
    constructor(script: string | URL, options: Bun.WorkerOptions = {}) {
      super(script, { ...options, preload: [import.meta.path] });
    }
  };
}

function openProfiler(): () => void {
  const session = new Session();
  session.connect();
  let isRunning = false;
  return () => {
    if (isRunning) session.post("Profiler.stop", (_, found) => write("profile", found.profile));
    else {
      session.post("Profiler.enable");
      session.post("Profiler.setSamplingInterval", { interval: INTERVAL_MICROS });
      session.post("Profiler.start");
    }
    isRunning = !isRunning;
  };
}

/** What was allocated since stays counted, as long as the collector does not run. */
function openCounts(): () => void {
  let before: Readonly<Record<string, number>> | undefined;
  return () => {
    if (before === undefined) {
      Bun.gc(true);
      before = heapStats().objectTypeCounts;
      return;
    }
    const after = heapStats().objectTypeCounts;
    const made = Object.entries(after).map(([type, count]) => [
      type,
      count - (before?.[type] ?? 0),
    ]);
    write("allocations", Object.fromEntries(made));
    before = undefined;
  };
}

function write(kind: string, found: Profiler.Profile | Record<string, number>): void {
  writeFileSync(`${folder}/${kind}-${threadId}.json`, JSON.stringify(found));
}

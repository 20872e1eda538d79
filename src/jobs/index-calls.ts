import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallIndexing } from "#core/call.ts";
import type { Job } from "./scheduler.ts";

/** Small, since requests wait meanwhile on SQLite. */
const BATCH = 1_024;

/** Describes finished calls for the search of the call log. */
export function indexCalls(calls: CallIndexing): Job {
  return {
    name: "index-calls",
    everyMs: 10_000,
    async run(signal) {
      while (!signal.aborted && (await calls.index(BATCH)) > 0) await nextTurn();
    },
  };
}

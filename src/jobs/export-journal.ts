import type { JournalEntry } from "#core/call.ts";
import type { ExportRange, JournalExports, JournalTarget } from "#core/journal-export.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import type { Job } from "./scheduler.ts";

/** Rows that are read at once. */
const STEP = 500;

/**
 * Copies the journal to a column store. The journal itself is the queue: an
 * unreachable target takes no memory, and loses nothing that the journal keeps.
 */
export function exportJournal(exports: JournalExports, target: JournalTarget): Job {
  return {
    name: `export-journal-${target.name}`,
    everyMs: 5_000,
    async run(signal) {
      while (!signal.aborted) {
        const range = await exports.next(target.name, target.rule);
        if (range === undefined) return;
        await target.write(range, entriesOf(exports, range));
        await exports.finish(target.name, range);
      }
    },
  };
}

async function* entriesOf(
  exports: JournalExports,
  range: ExportRange,
): AsyncGenerator<readonly JournalEntry[]> {
  let after = range.first - 1;
  for (;;) {
    const entries = await exports.read(range, after, STEP);
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    after = last.seq;
    await yieldToEventLoop(LARGE_BYTES);
  }
}

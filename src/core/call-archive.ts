import type { CallFilter, CallScope, JournalEntry } from "./call.ts";

export interface ArchiveSearch {
  readonly filter: CallFilter;
  /** Numbers of the journal: above `after`, and up to `last`. */
  readonly after: number;
  readonly last: number;
  readonly isAscending: boolean;
  readonly limit: number;
}

interface ArchivePage {
  readonly entries: readonly JournalEntry[];
  /** The number to continue with; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * Calls in a column store, also those that the database has deleted. It throws `unavailable` if
 * the store cannot answer.
 */
export interface CallArchive {
  /** By number. A page may be short, although `next` exists. */
  search(search: ArchiveSearch): Promise<ArchivePage>;
  find(id: string, scope: CallScope): Promise<JournalEntry | undefined>;
}

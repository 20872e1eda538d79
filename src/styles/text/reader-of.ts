import { GatewayError } from "#core/error.ts";

const MAX_CHOICES = 128;

/** The reader of a choice; a new one if the choice has not begun. */
export function readerOf<Reader>(
  readers: Map<number, Reader>,
  choice: number,
  ReaderOfChoice: new (choice: number) => Reader,
): Reader {
  const known = readers.get(choice);
  if (known !== undefined) return known;
  if (readers.size >= MAX_CHOICES) {
    throw new GatewayError("upstream_failed", "The upstream sent too many choices.");
  }
  const reader = new ReaderOfChoice(choice);
  readers.set(choice, reader);
  return reader;
}

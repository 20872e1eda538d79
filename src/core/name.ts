/** Names that people give, in any script. */

const MAX_UNITS = 512;

/** Characters without a glyph of their own: Hangul fillers and the empty Braille pattern. */
const BLANK = /[\u115f\u1160\u3164\uffa0\u2800]/u;
/** All control, format, unassigned and private characters but the two joiners; other spaces. */
const HIDDEN = /(?!\p{Join_Control})\p{C}|(?! )\p{Z}/u;
/** A joiner stands between two visible characters. */
const LOOSE_JOINER = /(?:^| |\p{Join_Control})\p{Join_Control}|\p{Join_Control}(?:$| )/u;
const STARTS_WITH_MARK = /^\p{M}/u;
const MAX_MARKS = /\p{M}{9}/u;
const OBJECT_CHARS = /^[\p{L}\p{N}\p{M}\p{Join_Control}._-]+$/u;

/**
 * The name in its normal form (NFC), so that names that look the same are the same; undefined if
 * it is not a name of 1 to `most` characters as people count them.
 */
export function readDisplayName(given: string, most = 100): string | undefined {
  if (given.length > MAX_UNITS) return undefined;
  const name = given.normalize("NFC");
  if (name === "" || name.trim() !== name) return undefined;
  if (BLANK.test(name) || HIDDEN.test(name) || LOOSE_JOINER.test(name)) return undefined;
  if (STARTS_WITH_MARK.test(name) || MAX_MARKS.test(name)) return undefined;
  return lengthOf(name) <= most ? name : undefined;
}

/** A name for configuration and commands: letters and digits of any script, dots, dashes, underscores. */
export function readObjectName(given: string): string | undefined {
  const name = readDisplayName(given, 64);
  return name !== undefined && OBJECT_CHARS.test(name) ? name : undefined;
}

/** In graphemes: a letter with its accents is one, and so is a joined emoji. */
function lengthOf(name: string): number {
  return [...GRAPHEMES.segment(name)].length;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The form in which searches compare names: without case and compatibility forms. */
export function foldName(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

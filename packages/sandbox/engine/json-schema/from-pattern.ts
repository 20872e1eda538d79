import type { Random } from "../random.ts";
import { patternOf } from "./matches.ts";

/**
 * A text that a regular expression accepts, of a length within the bounds, or
 * `undefined` where none was found. Look-around and back references are read
 * as if they were not there; what comes of it is checked against the real
 * expression.
 */
export function textFromPattern(
  pattern: string,
  lengths: Lengths,
  random: Random,
): string | undefined {
  const expression = patternOf(pattern);
  if (expression === undefined || pattern.length > MAX_PATTERN_CHARACTERS) return undefined;

  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const mood = { random, generosity: attempt, atomsLeft: MAX_ATOMS };
    const { text } = readAlternatives({ source: pattern, at: 0 }, mood);
    const padded = text.padEnd(Math.min(lengths.min, MAX_TEXT_CHARACTERS), "a");
    for (const candidate of [text, padded]) {
      const length = Array.from(candidate).length;
      if (length >= lengths.min && length <= lengths.max && expression.test(candidate))
        return candidate;
    }
  }
  return undefined;
}

interface Lengths {
  readonly min: number;
  readonly max: number;
}

const ATTEMPTS = 40;
const MAX_PATTERN_CHARACTERS = 2_000;
const MAX_TEXT_CHARACTERS = 10_000;
/** Repetitions of repetitions multiply, and end here. */
const MAX_ATOMS = 50_000;

interface Mood {
  readonly random: Random;
  /** Grows from attempt to attempt: open repetitions get longer with it. */
  readonly generosity: number;
  atomsLeft: number;
}

interface Cursor {
  readonly source: string;
  at: number;
}

/** A piece of the expression as a text, and a way to get another text for it. */
interface Piece {
  readonly text: string;
  again(): string;
}

function readAlternatives(cursor: Cursor, mood: Mood): Piece {
  const start = cursor.at;
  const options = [readSequence(cursor, mood)];
  while (cursor.source[cursor.at] === "|") {
    cursor.at++;
    options.push(readSequence(cursor, mood));
  }
  const chosen = options[mood.random.between(0, options.length - 1)] ?? "";
  return {
    text: chosen,
    again: () => readAlternatives({ source: cursor.source, at: start }, mood).text,
  };
}

function readSequence(cursor: Cursor, mood: Mood): string {
  let text = "";
  while (cursor.at < cursor.source.length && !"|)".includes(cursor.source[cursor.at] ?? "")) {
    const piece = readAtom(cursor, mood);
    const times = readRepetition(cursor, mood);
    for (
      let count = 0;
      count < times && text.length < MAX_TEXT_CHARACTERS && mood.atomsLeft > 0;
      count++
    ) {
      text += count === 0 ? piece.text : piece.again();
    }
  }
  return text;
}

function readAtom(cursor: Cursor, mood: Mood): Piece {
  const { source } = cursor;
  const letter = String.fromCodePoint(source.codePointAt(cursor.at) ?? 0);
  cursor.at += letter.length;
  mood.atomsLeft--;

  switch (letter) {
    case "^":
    case "$":
      return constant("");
    case ".":
      return oneOf(WORDLIKE, mood);
    case "(":
      return readGroup(cursor, mood);
    case "[":
      return oneOf(readClass(cursor), mood);
    case "\\":
      return oneOf(readEscape(cursor), mood);
    default:
      return constant(letter);
  }
}

function readGroup(cursor: Cursor, mood: Mood): Piece {
  const opening =
    cursor.source.slice(cursor.at).match(/^\?(?:[:]|<?[=!]|<[\p{L}_][\p{L}\d_]*>)/u)?.[0] ?? "";
  cursor.at += opening.length;
  const inside = readAlternatives(cursor, mood);
  cursor.at++;
  return /[=!]$/.test(opening) ? constant("") : inside;
}

/** The characters a class allows; of a negated one, those of the printable ASCII that remain. */
function readClass(cursor: Cursor): string {
  const isNegated = cursor.source[cursor.at] === "^";
  if (isNegated) cursor.at++;
  let allowed = "";
  while (cursor.at < cursor.source.length && cursor.source[cursor.at] !== "]") {
    const from = readClassMember(cursor);
    const isRange =
      cursor.source[cursor.at] === "-" && (cursor.source[cursor.at + 1] ?? "]") !== "]";
    if (!isRange) {
      allowed += from;
      continue;
    }
    cursor.at++;
    allowed += range(from.codePointAt(0) ?? 0, readClassMember(cursor).codePointAt(0) ?? 0);
  }
  cursor.at++;
  return isNegated ? without(PRINTABLE, allowed) : allowed;
}

function readClassMember(cursor: Cursor): string {
  const letter = String.fromCodePoint(cursor.source.codePointAt(cursor.at) ?? 0);
  cursor.at += letter.length;
  return letter === "\\" ? readEscape(cursor) : letter;
}

function readEscape(cursor: Cursor): string {
  const rest = cursor.source.slice(cursor.at);
  const code = rest.match(/^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/);
  if (code !== null) {
    cursor.at += code[0].length;
    return String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "61", 16));
  }
  const property = rest.match(/^[pP]\{([^}]*)\}/);
  if (property !== null) {
    cursor.at += property[0].length;
    return PROPERTIES.find(([name]) => property[1]?.startsWith(name))?.[1] ?? LETTERS;
  }
  const letter = rest[0] ?? "";
  cursor.at += letter.length;
  return ESCAPES[letter] ?? letter;
}

function readRepetition(cursor: Cursor, mood: Mood): number {
  const written = cursor.source.slice(cursor.at).match(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/);
  if (written === null) return 1;
  cursor.at += written[0].length;
  const [, sign, low, comma, high] = written;
  const least = sign === "+" ? 1 : Number(low ?? 0);
  const open = least + 1 + mood.generosity;
  const most =
    sign === "?"
      ? 1
      : sign !== undefined || (comma !== undefined && high === "")
        ? open
        : Number(high ?? least);
  return mood.random.between(least, Math.min(Math.max(least, most), open));
}

function constant(text: string): Piece {
  return { text, again: () => text };
}

function oneOf(characters: string, { random }: Mood): Piece {
  const list = Array.from(characters);
  const again = () => list[random.between(0, list.length - 1)] ?? "";
  return { text: again(), again };
}

function range(from: number, to: number): string {
  const length = Math.min(Math.max(0, to - from + 1), 512);
  return String.fromCodePoint(...Array.from({ length }, (_, index) => from + index));
}

function without(characters: string, removed: string): string {
  return Array.from(characters)
    .filter((each) => !removed.includes(each))
    .join("");
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const WORDLIKE = LETTERS + DIGITS;
const PRINTABLE = range(0x20, 0x7e);

const ESCAPES: Readonly<Record<string, string>> = {
  d: DIGITS,
  D: LETTERS,
  w: `${WORDLIKE}_`,
  W: " -.",
  s: " ",
  S: WORDLIKE,
  n: "\n",
  r: "\r",
  t: "\t",
  b: "",
  B: "",
};

const PROPERTIES: readonly (readonly [string, string])[] = [
  ["Lu", LETTERS.toUpperCase()],
  ["N", DIGITS],
  ["P", ".-!"],
  ["Z", " "],
];

/** Ranges of UTF-16 code units, both ends inclusive. */
export type CharSet = readonly (readonly [from: number, to: number])[];

export type Node =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number | undefined;
    };

/** The pattern is malformed. The message completes "the pattern ...". */
export class PatternError extends Error {}

interface ParsedPattern {
  readonly node: Node;
  readonly startsAtWord: boolean;
  readonly endsAtWord: boolean;
}

const MAX_REPEAT = 500;
const LAST_UNIT = 0xffff;
const DIGITS: CharSet = [[0x30, 0x39]];
const WORDS: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACES: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x2028, 0x2029],
  [0x3000, 0x3000],
];
const LINE_ENDS: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const NAMED: Readonly<Record<string, CharSet>> = {
  d: DIGITS,
  w: WORDS,
  s: SPACES,
  D: except(DIGITS),
  W: except(WORDS),
  S: except(SPACES),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b };
const BOUNDARY = String.raw`\b`;

/** Parses the part of the syntax of JavaScript that an automaton without backtracking can search. */
export function parsePattern(source: string): ParsedPattern {
  const ignoresCase = source.startsWith("(?i)");
  let body = ignoresCase ? source.slice(4) : source;
  const startsAtWord = body.startsWith(BOUNDARY);
  if (startsAtWord) body = body.slice(BOUNDARY.length);
  // The backslash of `\\b` belongs to the one before.
  const endsAtWord = /(?:^|[^\\])(?:\\\\)*\\b$/.test(body);
  if (endsAtWord) body = body.slice(0, -BOUNDARY.length);
  const node = new PatternParser(body, ignoresCase).parse();
  if (node.kind === "choice" && (startsAtWord || endsAtWord)) {
    throw new PatternError(String.raw`has a '|' beside a '\b'; put the choice in a group`);
  }
  return { node, startsAtWord, endsAtWord };
}

class PatternParser {
  readonly #source: string;
  readonly #ignoresCase: boolean;
  #at = 0;

  constructor(source: string, ignoresCase: boolean) {
    this.#source = source;
    this.#ignoresCase = ignoresCase;
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError("has a ')' without a '('");
    if (isOptional(node)) throw new PatternError("matches an empty text");
    return node;
  }

  #choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#take("|")) nodes.push(this.#sequence());
    const [only] = nodes;
    return nodes.length === 1 && only !== undefined ? only : { kind: "choice", nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#peek())) {
      nodes.push(this.#repeated(this.#atom()));
    }
    return { kind: "sequence", nodes };
  }

  #repeated(node: Node): Node {
    const bounds = this.#bounds();
    if (bounds === undefined) return node;
    if (this.#bounds() !== undefined) throw new PatternError("has two quantifiers in a row");
    return { kind: "repeat", node, ...bounds };
  }

  #bounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take("*")) return { least: 0, most: undefined };
    if (this.#take("+")) return { least: 1, most: undefined };
    if (this.#take("?")) return { least: 0, most: 1 };
    if (this.#peek() !== "{") return undefined;
    const [whole, from = "", comma, to = ""] =
      /^\{(\d{1,3})(,)?(\d{1,3})?\}/.exec(this.#source.slice(this.#at, this.#at + 12)) ?? [];
    if (whole === undefined)
      throw new PatternError(String.raw`has a '{' that is no quantifier; write '\{'`);
    this.#at += whole.length;
    const least = Number(from);
    const most = comma === undefined ? least : to === "" ? undefined : Number(to);
    if (least > MAX_REPEAT || (most ?? 0) > MAX_REPEAT || (most ?? least) < least) {
      throw new PatternError(`has a quantifier that is not from 0 to ${MAX_REPEAT}`);
    }
    return { least, most };
  }

  #atom(): Node {
    const char = this.#next();
    if (char === "(") return this.#group();
    if (char === "[") return { kind: "set", set: this.#class() };
    if (char === ".") return { kind: "set", set: except(LINE_ENDS) };
    if (char === "\\") return { kind: "set", set: this.#cased(this.#escape()) };
    if ("*+?{".includes(char)) throw new PatternError(`has a '${char}' with nothing before it`);
    if ("^$".includes(char)) {
      throw new PatternError(
        `has a '${char}', which is not supported; write '\\${char}' for the character`,
      );
    }
    return { kind: "set", set: this.#cased(single(char.charCodeAt(0))) };
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":")) {
      throw new PatternError("has a look-around or a named group, which are not supported");
    }
    const node = this.#choice();
    if (!this.#take(")")) throw new PatternError("has a '(' without a ')'");
    return node;
  }

  /** The inside of brackets. */
  #class(): CharSet {
    const isNegated = this.#take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take("]")) {
      if (this.#at >= this.#source.length) throw new PatternError("has a '[' without a ']'");
      const set = this.#member();
      const isRange =
        this.#peek() === "-" && !["]", ""].includes(this.#source.charAt(this.#at + 1));
      if (!isRange) ranges.push(...set);
      else {
        this.#at++;
        ranges.push(rangeOf(set, this.#member()));
      }
    }
    const cased = this.#cased(ranges);
    return isNegated ? except(cased) : cased;
  }

  #member(): CharSet {
    const char = this.#next();
    return char === "\\" ? this.#escape() : single(char.charCodeAt(0));
  }

  #escape(): CharSet {
    const char = this.#next();
    const set = NAMED[char];
    if (set !== undefined) return set;
    const control = CONTROLS[char];
    if (control !== undefined) return single(control);
    if (char === "u" || char === "x") return single(this.#codeUnit(char === "u" ? 4 : 2));
    if (char === "b")
      throw new PatternError(String.raw`has a '\b' that is not at its start or end`);
    if (/[A-Za-z0-9]/.test(char)) throw new PatternError(`has '\\${char}', which is not supported`);
    return single(char.charCodeAt(0));
  }

  #codeUnit(digits: number): number {
    const hex = this.#source.slice(this.#at, this.#at + digits);
    if (hex.length < digits || !/^[\dA-Fa-f]+$/.test(hex)) {
      throw new PatternError(`needs ${digits} hexadecimal digits after '\\u' or '\\x'`);
    }
    this.#at += digits;
    return Number.parseInt(hex, 16);
  }

  #cased(set: CharSet): CharSet {
    return this.#ignoresCase ? set.flatMap(inBothCases) : set;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #next(): string {
    const char = this.#source.charAt(this.#at++);
    if (char === "") throw new PatternError(String.raw`ends with a '\'`);
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }
}

function single(unit: number): CharSet {
  return [[unit, unit]];
}

function rangeOf([first]: CharSet, [second]: CharSet): readonly [number, number] {
  const [from, fromEnd] = first ?? [];
  const [to, toEnd] = second ?? [];
  if (from === undefined || to === undefined || from !== fromEnd || to !== toEnd || from > to) {
    throw new PatternError("has a range in brackets that is out of order");
  }
  return [from, to];
}

/** All other characters. */
function except(set: CharSet): CharSet {
  const others: (readonly [number, number])[] = [];
  let from = 0;
  for (const [start, end] of set.toSorted(([a], [b]) => a - b)) {
    if (start > from) others.push([from, start - 1]);
    from = Math.max(from, end + 1);
  }
  if (from <= LAST_UNIT) others.push([from, LAST_UNIT]);
  return others;
}

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const CASE_STEP = LOWER_A - UPPER_A;

/** The range, and its ASCII letters in the other case. */
function inBothCases([from, to]: CharSet[number]): CharSet {
  const upper = [Math.max(from, UPPER_A), Math.min(to, UPPER_Z)] as const;
  const lower = [Math.max(from, LOWER_A), Math.min(to, LOWER_Z)] as const;
  return [
    [from, to],
    ...(upper[0] <= upper[1] ? [[upper[0] + CASE_STEP, upper[1] + CASE_STEP] as const] : []),
    ...(lower[0] <= lower[1] ? [[lower[0] - CASE_STEP, lower[1] - CASE_STEP] as const] : []),
  ];
}

function isOptional(node: Node): boolean {
  if (node.kind === "set") return false;
  if (node.kind === "sequence") return node.nodes.every(isOptional);
  if (node.kind === "choice") return node.nodes.some(isOptional);
  return node.least === 0 || isOptional(node.node);
}

import { parsePattern, PatternError, type CharSet, type Node } from "./parse-pattern.ts";

/** A part of a text, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Longest text that one match may have. */
const MAX_MATCH_CHARS = 4_096;
const MAX_NFA_STATES = 2_000;
const MAX_DFA_STATES = 500;
const CODE_UNITS = 0x1_0000;

/** A search needed more steps than its budget allows. */
export class StepLimitExceeded extends Error {}

/** Steps that some searches may take together. */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepLimitExceeded("The search took too many steps.");
  }
}

/**
 * A regular expression without backtracking. An automaton reads each character once for each
 * start of a match, and a match has a maximum length, so that no text can make a search slow.
 *
 * It knows literals, `.`, classes, `\d \w \s`, groups, `|`, `* + ? {n,m}`, `\b` at both ends and
 * `(?i)` at the start. Of several matches at one position, the longest counts.
 */
export class LinearPattern {
  readonly source: string;
  readonly #classOf: Uint16Array;
  readonly #classes: number;
  readonly #nfa: Nfa;
  readonly #startsAtWord: boolean;
  readonly #endsAtWord: boolean;
  #dfa: DfaState[] = [];
  #byKey = new Map<string, number>();

  /** Throws `PatternError` with a reason that completes "the pattern ...". */
  constructor(source: string) {
    const { node, startsAtWord, endsAtWord } = parsePattern(source);
    this.source = source;
    this.#nfa = compile(node);
    this.#startsAtWord = startsAtWord;
    this.#endsAtWord = endsAtWord;
    const sets = this.#nfa.edges.map(({ set }) => set);
    [this.#classOf, this.#classes] = classify(sets);
    this.#restart();
  }

  /** All matches, which do not overlap. Throws `StepLimitExceeded`. */
  findAll(text: string, budget: StepBudget): TextSpan[] {
    const spans: TextSpan[] = [];
    budget.spend(text.length);
    for (let at = 0; at < text.length;) {
      const end = this.#canStart(text, at) ? this.#longestFrom(text, at, budget) : at;
      if (end > at) spans.push({ start: at, end });
      at = Math.max(end, at + 1);
    }
    return spans;
  }

  #canStart(text: string, at: number): boolean {
    if (this.#startsAtWord && !isBoundary(text, at)) return false;
    const known = this.#dfa[START]?.next[this.#classOf[text.charCodeAt(at)] ?? 0];
    return known !== DEAD;
  }

  /** The end of the longest match; or the start. */
  #longestFrom(text: string, start: number, budget: StepBudget): number {
    const most = Math.min(text.length, start + MAX_MATCH_CHARS);
    let state = START;
    let last = start;
    let at = start;
    while (at < most) {
      const next = this.#step(state, this.#classOf[text.charCodeAt(at)] ?? 0, budget);
      if (next === DEAD) break;
      state = next;
      at++;
      const ends = this.#dfa[state]?.isAccepting === true;
      if (ends && (!this.#endsAtWord || isBoundary(text, at))) last = at;
    }
    budget.spend(at - start + 1);
    return last;
  }

  #step(from: number, charClass: number, budget: StepBudget): number {
    const state = this.#dfa[from];
    if (state === undefined) return DEAD;
    const known = state.next[charClass] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    budget.spend(state.nfa.length + 1);
    const reached = this.#nfa.step(state.nfa, this.#representative(charClass));
    const next = reached.length === 0 ? DEAD : this.#stateOf(reached);
    // Its states may have been forgotten meanwhile.
    if (this.#dfa[from] === state) state.next[charClass] = next;
    return next;
  }

  #stateOf(nfa: readonly number[]): number {
    const key = nfa.join();
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#dfa.length >= MAX_DFA_STATES) this.#restart();
    const next = new Int16Array(this.#classes).fill(UNKNOWN);
    const index = this.#dfa.push({ nfa, next, isAccepting: nfa.includes(ACCEPT) }) - 1;
    this.#byKey.set(key, index);
    return index;
  }

  #restart(): void {
    this.#dfa = [];
    this.#byKey = new Map();
    this.#stateOf(this.#nfa.start);
  }

  /** Some character of the class. */
  #representative(charClass: number): number {
    return this.#classOf.indexOf(charClass);
  }
}

const START = 0;
const DEAD = -1;
const UNKNOWN = -2;
const ACCEPT = 0;

interface DfaState {
  /** Sorted states of the NFA. */
  readonly nfa: readonly number[];
  readonly next: Int16Array;
  readonly isAccepting: boolean;
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly set: CharSet;
}

/** A nondeterministic automaton without empty transitions. */
interface Nfa {
  readonly start: readonly number[];
  readonly edges: readonly Edge[];
  step(from: readonly number[], unit: number): readonly number[];
}

/** Thompson's construction; https://swtch.com/~rsc/regexp/regexp1.html explains it. */
function compile(node: Node): Nfa {
  const edges: Edge[] = [];
  const empty: number[][] = [[]];
  const newState = (): number => {
    if (empty.length >= MAX_NFA_STATES) throw new PatternError("is too large");
    return empty.push([]) - 1;
  };
  /** Connects the node's automaton between a new start and `end`; returns the start. */
  const build = (each: Node, end: number): number => {
    const start = newState();
    if (each.kind === "set") edges.push({ from: start, to: end, set: each.set });
    else if (each.kind === "sequence") {
      empty[start]?.push(each.nodes.reduceRight((after, part) => build(part, after), end));
    } else if (each.kind === "choice") {
      for (const part of each.nodes) empty[start]?.push(build(part, end));
    } else repeat(each, start, end);
    return start;
  };
  const repeat = (
    { node: of, least, most }: Node & { kind: "repeat" },
    from: number,
    end: number,
  ) => {
    let after = end;
    if (most === undefined) {
      const loop = newState();
      empty[loop]?.push(end, build(of, loop));
      after = loop;
    } else {
      for (let count = least; count < most; count++) {
        const optional = newState();
        empty[optional]?.push(end, build(of, after));
        after = optional;
      }
    }
    for (let count = 0; count < least; count++) after = build(of, after);
    empty[from]?.push(after);
  };
  const first = build(node, ACCEPT);
  const bySource = Map.groupBy(edges, ({ from }) => from);
  const closure = (states: Iterable<number>): readonly number[] => {
    const found = new Set<number>();
    const open = [...states];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (found.has(state)) continue;
      found.add(state);
      open.push(...(empty[state] ?? []));
    }
    const live = [...found].filter((state) => state === ACCEPT || bySource.has(state));
    return live.toSorted((a, b) => a - b);
  };
  return {
    start: closure([first]),
    edges,
    step: (from, unit) =>
      closure(
        from.flatMap((state) =>
          (bySource.get(state) ?? []).filter(({ set }) => has(set, unit)).map(({ to }) => to),
        ),
      ),
  };
}

function has(set: CharSet, unit: number): boolean {
  return set.some(([from, to]) => unit >= from && unit <= to);
}

/** Gives characters that no set tells apart one class. */
function classify(sets: readonly CharSet[]): readonly [Uint16Array, number] {
  const bounds = new Set<number>([0]);
  for (const [from, to] of sets.flat()) {
    bounds.add(from);
    if (to + 1 < CODE_UNITS) bounds.add(to + 1);
  }
  const sorted = [...bounds].toSorted((a, b) => a - b);
  const signatures = new Map<string, number>();
  const classOf = new Uint16Array(CODE_UNITS);
  for (const [at, from] of sorted.entries()) {
    const signature = sets.map((set) => (has(set, from) ? "1" : "0")).join("");
    const index = signatures.get(signature) ?? signatures.size;
    signatures.set(signature, index);
    classOf.fill(index, from, sorted[at + 1] ?? CODE_UNITS);
  }
  return [classOf, signatures.size];
}

const WORD = /[A-Za-z0-9_]/;

function isBoundary(text: string, at: number): boolean {
  return WORD.test(text.charAt(at - 1)) !== WORD.test(text.charAt(at));
}

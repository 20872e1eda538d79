import { answerPieces, type Piece } from "../engine/pieces.ts";
import { faultyPieces } from "../faults/piece-faults.ts";
import type { Faults } from "../faults/faults.ts";
import { isJsonObject, parseJson, type JsonObject } from "../json.ts";
import type { Candidate } from "./candidate.ts";
import { callPart } from "./call-part.ts";

/** What a model lets go at once: a part of the answer, or thoughts that nobody sees. */
export interface Portion {
  readonly part?: JsonObject;
  /** In tokens. */
  readonly thoughts: number;
  readonly answer: number;
}

/** An answer in the order of the vendor; made as it is taken, since it may have no end. */
export function* portionsOf(candidate: Candidate, faults: Faults): Generator<Portion> {
  const { answer, invocations, isShown } = candidate;
  const pieces = faultyPieces(answerPieces({ ...answer, calls: [] }), faults);
  let toSay: Iterable<Portion> = beforeWords();
  function* beforeWords(): Generator<Portion> {
    yield* candidate.drafts();
    yield* invocations;
  }
  for (const { kind, text, tokens } of textGroups(pieces)) {
    if (kind === "reasoning") {
      const part = isShown ? { part: { text, thought: true } } : {};
      yield { ...part, thoughts: tokens, answer: 0 };
      continue;
    }
    yield* toSay;
    toSay = [];
    yield { part: { text }, thoughts: 0, answer: tokens };
  }
  yield* toSay;
  yield* callPortions(candidate, faults);
  yield* candidate.media();
}

interface TextGroup {
  readonly kind: "reasoning" | "text";
  readonly text: string;
  readonly tokens: number;
}

/** Words come a few tokens at a time, thoughts a paragraph at a time. */
const GROUP_TOKENS = { text: 4, reasoning: 40 } as const;

function* textGroups(pieces: Iterable<Piece>): Generator<TextGroup> {
  let group: TextGroup | undefined;
  for (const piece of pieces) {
    if (piece.kind === "call" || piece.kind === "input") continue;
    const kind = piece.kind === "reasoning" ? "reasoning" : "text";
    if (group !== undefined && (group.kind !== kind || group.tokens >= GROUP_TOKENS[kind])) {
      yield group;
      group = undefined;
    }
    group = {
      kind,
      text: (group?.text ?? "") + piece.text,
      tokens: (group?.tokens ?? 0) + piece.tokens,
    };
  }
  if (group !== undefined) yield group;
}

/** Calls come whole; one that the token limit has cut does not come, and is paid for. */
function* callPortions(
  { answer, callIds, callSignature }: Candidate,
  faults: Faults,
): Generator<Portion> {
  const tokens = answer.calls.map(() => 0);
  for (const piece of answerPieces({ ...answer, reasoning: "", text: "" })) {
    if (piece.kind !== "call" && piece.kind !== "input") continue;
    tokens[piece.index] = (tokens[piece.index] ?? 0) + piece.tokens;
  }
  for (const [index, { name, input }] of answer.calls.entries()) {
    const args = parseJson(input);
    const cost = { thoughts: 0, answer: tokens[index] ?? 0 };
    if (!isJsonObject(args)) {
      yield cost;
      continue;
    }
    const signature = index === 0 ? callSignature : undefined;
    const id = callIds[index];
    yield { part: callPart({ name, args, id, signature }, faults), ...cost };
  }
}

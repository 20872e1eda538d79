import type { Piece } from "../engine/pieces.ts";
import type { Faults } from "./faults.ts";

/** The portions of an answer, with a huge one at the end or without an end. */
export function* faultyPieces(
  pieces: Iterable<Piece>,
  { bigevent, endless }: Faults,
): Generator<Piece> {
  yield* pieces;
  if (bigevent) yield hugePiece(bigevent.mib);
  for (let count = 0; endless; count++) {
    yield { kind: "text", text: ` ${WORDS[count % WORDS.length] ?? ""}`, tokens: 1 };
  }
}

const WORDS: readonly string[] = ["and", "so", "it", "goes", "on"];

/** Of a word that is just one token, so that millions of them need not be counted. */
function hugePiece(mebibytes: number): Piece {
  const word = " abcdef";
  const tokens = Math.ceil((mebibytes * 1_048_576) / word.length);
  return { kind: "text", text: word.repeat(tokens), tokens };
}

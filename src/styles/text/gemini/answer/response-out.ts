import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { CandidateWriter, type Piece } from "./candidate-writer.ts";
import { FINISH_WORDS } from "../finish.ts";
import { headOfAnswer } from "./head.ts";
import { joinParts } from "../conversation/join-parts.ts";
import { usageMetadataOf } from "../usage.ts";

export function buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject {
  const start = events.find((event) => event.type === "start");
  const usage = events.findLast((event) => event.type === "usage");
  const choices = new Map<number, { writer: CandidateWriter; pieces: Piece[] }>();
  for (const event of events) {
    if (event.type === "start" || event.type === "usage") continue;
    const choice = choices.get(event.choice) ?? {
      writer: new CandidateWriter(showsThoughts(request)),
      pieces: [],
    };
    choices.set(event.choice, choice);
    choice.pieces.push(choice.writer.write(event));
  }
  const indexes = [...choices.keys()].sort((a, b) => a - b);
  return {
    candidates: indexes.map((index) => {
      const { writer, pieces = [] } = choices.get(index) ?? {};
      const parts = joinParts(pieces.flatMap((piece) => piece.parts));
      return {
        ...candidateOf(index, parts),
        ...logprobsOf(pieces),
        ...(writer?.ending ?? UNENDED),
      };
    }),
    ...(usage === undefined ? {} : { usageMetadata: usageMetadataOf(usage) }),
    ...headOfAnswer(start, request),
  };
}

const UNENDED: JsonObject = { finishReason: FINISH_WORDS.other, safetyRatings: [] };

export function showsThoughts({ reasoning }: ChatRequest): boolean {
  return reasoning?.visible === true;
}

/** Some clients read the first part without asking whether there is one. */
export function candidateOf(index: number, parts: readonly JsonObject[]): JsonObject {
  return { content: { parts: parts.length > 0 ? parts : [{ text: "" }], role: "model" }, index };
}

function logprobsOf(pieces: readonly Piece[]): JsonObject {
  const results = pieces.map((piece) => piece.logprobsResult).filter((one) => one !== undefined);
  if (results.length === 0) return {};
  return {
    logprobsResult: {
      topCandidates: results.flatMap((one) => listIn(one, "topCandidates")),
      chosenCandidates: results.flatMap((one) => listIn(one, "chosenCandidates")),
    },
  };
}

function listIn(result: Json, name: string): readonly Json[] {
  const list = memberOf(result, name);
  return isArray(list) ? list : [];
}

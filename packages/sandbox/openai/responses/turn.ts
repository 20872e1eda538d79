import { answerQuestion } from "@sluice/sandbox/engine/answer.ts";
import type { Answer } from "@sluice/sandbox/engine/conversation.ts";
import { answerPieces, type Piece } from "@sluice/sandbox/engine/pieces.ts";
import type { Faults } from "@sluice/sandbox/faults/faults.ts";
import { faultyPieces } from "@sluice/sandbox/faults/piece-faults.ts";
import { questionOf } from "../question.ts";
import { cacheUse } from "../prompt-caching.ts";
import { usageMeter, type UsageMeter } from "../usage.ts";
import { newItemId } from "./item-ids.ts";
import type { ResponseRequest } from "./response-request.ts";
import type { Seal } from "./sealed-content.ts";

/** Everything that an answer is made from, however it is delivered. */
export interface Turn {
  readonly request: ResponseRequest;
  readonly faults: Faults;
  readonly seal: Seal;
  readonly id: string;
  /** In seconds. */
  readonly createdAt: number;
  readonly answer: Answer;
  /** Lazy, since an answer may have no end. */
  pieces(): Iterable<Piece>;
  readonly meter: UsageMeter;
  now(): number;
}

export function newTurn(
  request: ResponseRequest,
  { faults, seal, cachedTokens, now }: Circumstances,
): Turn {
  const { search } = request;
  const answer = answerQuestion({
    ...questionOf(request, 0),
    ...(search === undefined ? {} : { pages: search.pages }),
  });
  return {
    request,
    faults,
    seal,
    id: newItemId("resp"),
    createdAt: Math.floor(now() / 1_000),
    answer,
    pieces: () => faultyPieces(answerPieces(answer), faults),
    meter: usageMeter(
      request.prompt,
      cacheUse(request.caching, request.prompt.total, cachedTokens),
      undefined,
    ),
    now,
  };
}

interface Circumstances {
  readonly faults: Faults;
  readonly seal: Seal;
  readonly cachedTokens: number;
  now(): number;
}

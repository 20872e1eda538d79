import type { Block, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { CallPairs } from "#styles/text/call-pairs.ts";
import { mediaIn, partsOf, textIn, type Place } from "../conversation/part-out.ts";
import { writeToolName } from "../conversation/tool-name.ts";

/**
 * A user's turn after calls: as many results as there were calls, in their
 * order, then the rest of what was said. A call that was never answered (its
 * caller was interrupted) is answered here; an answer to no call becomes text.
 */
export function buildAnswers(
  calls: readonly ToolCallBlock[],
  blocks: readonly Block[],
  canNest: boolean,
  at: Place,
): readonly JsonObject[] {
  const pairs = new CallPairs<ToolCallBlock, ToolResultBlock>((id) => id, at.report);
  for (const call of calls) pairs.addCall(call.id, call);
  for (const block of blocks) {
    if (block.type === "tool_result") pairs.addResult(block.callId, block);
  }
  const answers = calls.map((call) => {
    const result = pairs.resultOf(call, call) ?? noResult(call);
    return { call, result, media: mediaIn(result, at) };
  });
  const rest = blocks.filter(
    (block) => block.type !== "tool_result" || pairs.ofResult(block, block) === undefined,
  );
  return [
    ...answers.map(({ call, result, media }) =>
      buildAnswer(call, result, canNest ? media : [], at),
    ),
    // Older models look at pictures beside the results, not in them.
    ...(canNest ? [] : answers.flatMap(({ media }) => media)),
    ...rest.flatMap((block) => [
      ...partsOf([block], at),
      ...(block.type === "tool_result" ? mediaIn(block, at) : []),
    ]),
  ];
}

/**
 * Results find their calls by name and order, which every server of the style
 * knows how to do; some of them refuse ids, and the newest models want them. JSON stays text inside `output`:
 * certain names in it would be refused.
 */
function buildAnswer(
  call: ToolCallBlock,
  result: ToolResultBlock,
  media: readonly JsonObject[],
  { namesCalls }: Place,
): JsonObject {
  const text = textIn(result);
  return {
    functionResponse: {
      ...(namesCalls === true ? { id: call.id } : {}),
      name: writeToolName(call.name, call.kind),
      // An error without words would be read as none.
      response: result.isError === true ? { error: text || true } : { output: text },
      ...(media.length > 0 ? { parts: media } : {}),
    },
  };
}

function noResult(call: ToolCallBlock): ToolResultBlock {
  const blocks = [{ type: "text", text: "The tool gave no result." }] as const;
  return { type: "tool_result", callId: call.id, blocks, isError: true };
}

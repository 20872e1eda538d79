import type { Block, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { CallPairs } from "#styles/text/call-pairs.ts";
import { CallIds } from "./call-ids.ts";
import { isBlank, type Placed, type Turn } from "./turn.ts";

/**
 * Puts every result into the turn after its call, before anything else in it.
 * A call that nobody answered gets a result that says so; a result that
 * answers no call becomes something that the user says.
 */
export function pairCalls(turns: readonly Turn[], report: LossReport): readonly Turn[] {
  const pairs = new Pairs(turns, report);
  const out: Turn[] = [];
  let results: readonly Placed[] = [];
  for (const { role, blocks } of turns) {
    const rest = blocks.flatMap((placed) => pairs.rest(placed));
    if (role === "assistant") {
      if (results.length > 0) out.push({ role: "user", blocks: results });
      results = blocks.flatMap((placed) => pairs.resultOf(placed));
      out.push({ role, blocks: rest });
    } else {
      out.push({ role, blocks: [...results, ...rest] });
      results = [];
    }
  }
  return results.length > 0 ? [...out, { role: "user", blocks: results }] : out;
}

class Pairs {
  readonly #pairs: CallPairs<ToolCallBlock, ToolResultBlock>;
  /** Where the results stood. */
  readonly #paths = new Map<ToolResultBlock, string>();

  constructor(turns: readonly Turn[], report: LossReport) {
    const ids = new CallIds();
    this.#pairs = new CallPairs((id) => ids.next(id), report);
    for (const { block, path } of turns.flatMap(({ blocks }) => blocks)) {
      if (block.type === "tool_call") this.#pairs.addCall(block.id, block);
      if (block.type !== "tool_result") continue;
      this.#pairs.addResult(block.callId, block);
      this.#paths.set(block, path);
    }
  }

  /** What of a block stays where it stood. */
  rest(placed: Placed): readonly Placed[] {
    const { block, path } = placed;
    if (block.type === "tool_call") {
      const pair = this.#pairs.ofCall(block);
      return pair === undefined ? [] : [{ path, block: { ...block, id: pair.id } }];
    }
    if (block.type !== "tool_result") return [placed];
    if (this.#pairs.ofResult(block, block) !== undefined) return [];
    return [ORPHAN, ...block.blocks.filter((said) => !isBlank(said))].map((said) => ({
      path,
      block: said,
    }));
  }

  resultOf({ block, path }: Placed): readonly Placed[] {
    if (block.type !== "tool_call") return [];
    const { id } = this.#pairs.ofCall(block) ?? block;
    const result = this.#pairs.resultOf(block, block);
    if (result === undefined) return [{ path, block: unanswered(id) }];
    return [{ path: this.#paths.get(result) ?? path, block: { ...result, callId: id } }];
  }
}

const ORPHAN: Block = { type: "text", text: "The result of an earlier tool call:" };

function unanswered(callId: string): ToolResultBlock {
  const text = "This call was broken off before it had a result.";
  return { type: "tool_result", callId, isError: true, blocks: [{ type: "text", text }] };
}

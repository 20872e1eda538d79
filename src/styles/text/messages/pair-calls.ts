import type { Block, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { CallIds } from "./call-ids.ts";
import { isBlank, type Placed, type Turn } from "./turn.ts";

/** A call, and the first result that came for it. */
interface Pair {
  readonly id: string;
  result?: Placed;
}

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
  readonly #pairs = new Map<ToolCallBlock, Pair>();
  readonly #answers = new Set<ToolResultBlock>();

  readonly #report: LossReport;

  constructor(turns: readonly Turn[], report: LossReport) {
    this.#report = report;
    const ids = new CallIds();
    const open = new Map<string, Pair[]>();
    for (const placed of turns.flatMap(({ blocks }) => blocks)) {
      const { block } = placed;
      if (block.type === "tool_call") {
        const pair: Pair = { id: ids.next(block.id) };
        this.#pairs.set(block, pair);
        const waiting = open.get(block.id);
        if (waiting === undefined) open.set(block.id, [pair]);
        else waiting.push(pair);
      } else if (block.type === "tool_result") {
        const pair = open.get(block.callId)?.shift();
        if (pair === undefined) continue;
        pair.result = { ...placed, block: { ...block, callId: pair.id } };
        this.#answers.add(block);
      }
    }
  }

  /** What of a block stays where it stood. */
  rest(placed: Placed): readonly Placed[] {
    const { block, path } = placed;
    if (block.type === "tool_call") {
      const pair = this.#pairs.get(block);
      return pair === undefined ? [] : [{ path, block: { ...block, id: pair.id } }];
    }
    if (block.type !== "tool_result") return [placed];
    if (this.#answers.has(block)) return [];
    this.#report.lose("messages.tool_call_id", block);
    return [ORPHAN, ...block.blocks.filter((said) => !isBlank(said))].map((said) => ({
      path,
      block: said,
    }));
  }

  resultOf({ block, path }: Placed): readonly Placed[] {
    const pair = block.type === "tool_call" ? this.#pairs.get(block) : undefined;
    if (pair === undefined) return [];
    if (pair.result === undefined) this.#report.lose("messages.tool_calls", block);
    return [pair.result ?? { path, block: unanswered(pair.id) }];
  }
}

const ORPHAN: Block = { type: "text", text: "The result of an earlier tool call:" };

function unanswered(callId: string): ToolResultBlock {
  const text = "This call was broken off before it had a result.";
  return { type: "tool_result", callId, isError: true, blocks: [{ type: "text", text }] };
}

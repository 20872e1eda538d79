import type { Block } from "./blocks.ts";
import { invalid } from "./error.ts";
import type { Turn } from "./messages.ts";

/** Every tool call is answered at the start of the next message, and nothing is answered that was not called. */
export function checkPairing(turns: readonly Turn[]): void {
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "assistant") {
      checkUnique(turn, seen);
      checkAnswered(turn, turns[index + 1]);
      checkServerCalls(turn, index === turns.length - 1);
    } else {
      checkExpected(turn, turns[index - 1]);
    }
  }
}

function checkUnique({ blocks }: Turn, seen: Set<string>): void {
  for (const { id, path } of callsOf(blocks)) {
    if (seen.has(id)) throw invalid(path, "`tool_use` ids must be unique");
    seen.add(id);
  }
}

function checkAnswered(turn: Turn, next: Turn | undefined): void {
  const answered = new Set(leadingResults(next).map((result) => result.id));
  const open = callsOf(turn.blocks).filter(({ id }) => !answered.has(id));
  if (open.length === 0) return;
  throw invalid(
    turn.path,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ id }) => id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkExpected(turn: Turn, before: Turn | undefined): void {
  const called = new Set(callsOf(before?.blocks ?? []).map(({ id }) => id));
  const answered = new Set<string>();
  for (const block of turn.blocks) {
    if (block.kind !== "result") continue;
    if (!called.has(block.id)) {
      throw invalid(
        block.path,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(block.id)) {
      throw invalid(
        block.path,
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.id}`,
      );
    }
    answered.add(block.id);
  }
}

/** The vendor's own tools answer in the same message, which may only be cut short at the end. */
function checkServerCalls(turn: Turn, isLast: boolean): void {
  const calls = turn.blocks.filter((block) => block.kind === "server_call");
  const results = turn.blocks.filter((block) => block.kind === "server_result");
  const orphan = results.find(({ id }) => !calls.some((call) => call.id === id));
  if (orphan !== undefined) {
    throw invalid(
      orphan.path,
      `\`${orphan.type}\` block with id \`${orphan.id}\` was found without a corresponding \`server_tool_use\` block`,
    );
  }
  const open = calls.find(({ id }) => !results.some((result) => result.id === id));
  if (open !== undefined && !isLast) {
    throw invalid(
      open.path,
      `\`${open.name}\` tool use with id \`${open.id}\` was found without a corresponding \`${open.name}_tool_result\` block`,
    );
  }
}

function callsOf(blocks: readonly Block[]) {
  return blocks.filter((block) => block.kind === "call");
}

function leadingResults(turn: Turn | undefined) {
  const end = turn?.blocks.findIndex((block) => block.kind !== "result") ?? 0;
  const leading = end < 0 ? turn?.blocks : turn?.blocks.slice(0, end);
  return (leading ?? []).filter((block) => block.kind === "result");
}

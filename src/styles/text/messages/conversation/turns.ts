import type { Block, ChatRequest, MediaBlock, Message } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { placeFinder } from "#styles/text/block-table.ts";
import type { Reporting } from "#styles/text/member-table.ts";
import { pairCalls } from "./pair-calls.ts";
import { isGenuine } from "./proof.ts";
import { MESSAGES } from "../raw-fields.ts";
import { isBlank, type Placed, type Turn } from "./turn.ts";

/** A conversation of another style, in the turns that vendors of this one accept. */
interface Turns {
  readonly system: readonly Placed[];
  readonly turns: readonly Turn[];
}

/** Says nothing, where a turn must be and there is none. */
const BEGINNING: Turn = {
  role: "user",
  blocks: [{ block: { type: "text", text: "..." }, path: "messages" }],
};

/**
 * Users and assistants take turns, a user first; results answer the calls of
 * the turn before them, and come first in theirs; nothing is empty. What a
 * conversation lacks for that is put in, what is too much becomes words.
 */
export function turnsOf({ messages }: ChatRequest, report: LossReport): Turns {
  const first = messages.findIndex(({ role }) => !isSystem(role));
  const leading = first < 0 ? messages.length : first;
  const system = placedIn(messages.slice(0, leading), 0, report);
  const said = messages
    .slice(leading)
    .map((message, index) => turnOf(message, index + leading, report));

  const spoken = merged(
    pairCalls(merged(said), report).map((turn) => endingWithWords(turn, report)),
  );
  // Instructions alone are what the user says.
  if (spoken.length === 0 && system.length > 0) {
    return { system: [], turns: [{ role: "user", blocks: system }] };
  }
  if (spoken[0]?.role === "user") return { system, turns: spoken };
  // The words that are put before it are not the caller's.
  report.lose("messages.content", messages[leading]);
  return { system, turns: [BEGINNING, ...spoken] };
}

function isSystem(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

function turnOf(message: Message, index: number, report: LossReport): Turn {
  const placed = placedIn([message], index, report);
  if (message.role === "assistant") return { role: "assistant", blocks: placed };
  return { role: "user", blocks: isSystem(message.role) ? placed.map(asInstruction) : placed };

  /** There is one place for instructions, and it is before the conversation. */
  function asInstruction({ block, path }: Placed): Placed {
    report.lose("messages.role", block);
    return { block: block.type === "text" ? { ...block, text: tagged(block.text) } : block, path };
  }
}

function tagged(instruction: string): string {
  return `<system>\n${instruction}\n</system>`;
}

function placedIn(
  messages: readonly Message[],
  from: number,
  report: LossReport,
): readonly Placed[] {
  return messages.flatMap((message, index) => {
    const at: Said = { role: message.role, report };
    return message.blocks
      .filter((block) => !isBlank(block) && hasPlace(block, at))
      .map((block) => ({ block, path: `messages[${index + from}]` }));
  });
}

interface Said extends Reporting {
  readonly role: Message["role"];
}

const isTold = (_: Block, { role }: Said): boolean => !isSystem(role);
/** Here assistants only speak; media of other assistants are left out. */
const isHeard = ({ transcript = "" }: MediaBlock, { role }: Said): boolean =>
  role !== "assistant" || transcript.trim() !== "";

/** What is left out is left out here, so that nothing is empty afterwards. */
const hasPlace = placeFinder<Said>({
  text: true,
  refusal: true,
  tool_call: isTold,
  tool_result: isTold,
  // Vendors refuse proofs that they did not give.
  reasoning: (block, { role }) => role === "assistant" && isGenuine(block),
  image: isHeard,
  audio: isHeard,
  video: isHeard,
  file: isHeard,
  other: ({ style }) => style === MESSAGES,
});

/** Turns of one role become one; those that say nothing are left out. */
function merged(turns: readonly Turn[]): readonly Turn[] {
  const out: { role: Turn["role"]; blocks: Placed[] }[] = [];
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue;
    const last = out.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else out.push({ role, blocks: [...blocks] });
  }
  return out;
}

/** Thinking that led to nothing is refused at the end of a turn. */
function endingWithWords(turn: Turn, report: LossReport): Turn {
  if (turn.role === "user") return turn;
  const blocks = turn.blocks.slice(
    0,
    turn.blocks.findLastIndex(({ block }) => block.type !== "reasoning") + 1,
  );
  if (blocks.length === turn.blocks.length) return turn;
  report.lose("reasoning");
  return { ...turn, blocks };
}

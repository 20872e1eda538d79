import type { Block, Message } from "#core/chat.ts";
import { isModelRole } from "./role.ts";
import { GOES_ON, isOwn, rawFieldsOf } from "../raw-fields.ts";

/** One content to be: what one side says until the other speaks. */
export interface Turn {
  readonly role: "user" | "model";
  readonly blocks: Block[];
  /** As a caller of this style wrote it, to go out like that. */
  readonly written: Message | undefined;
  /** Position of its first message, for reports. */
  readonly index: number;
}

/**
 * Messages as turns that alternate. Instructions at the head are kept apart;
 * later ones, for which the style has no place, are said by the user.
 */
export function toTurns(messages: readonly Message[]): {
  readonly instructions: readonly Message[];
  readonly turns: readonly Turn[];
} {
  const instructions = messages.slice(0, countLeading(messages));
  const turns: Turn[] = [];
  for (const [at, message] of messages.slice(instructions.length).entries()) {
    const turn = turnOf(message, instructions.length + at);
    const last = turns.at(-1);
    const isWritten = last?.written !== undefined || turn.written !== undefined;
    if (last !== undefined && (isWritten ? goesOn(last, turn) : last.role === turn.role)) {
      for (const block of turn.blocks) last.blocks.push(block);
    } else if (turn.blocks.length > 0 || turn.written !== undefined) turns.push(turn);
  }
  // With nobody speaking there is nothing to answer, so the instructions are said.
  if (turns.length > 0 || instructions.length === 0) return { instructions, turns };
  const blocks = instructions.flatMap((message) => message.blocks);
  return { instructions: [], turns: [{ role: "user", blocks, written: undefined, index: 0 }] };
}

/** Written as one content. */
function goesOn({ written: before }: Turn, { written }: Turn): boolean {
  if (before === undefined || written === undefined) return false;
  return rawFieldsOf(written)?.[GOES_ON] === true && isModelRole(rawFieldsOf(before)?.["role"]);
}

/** How many instructions stand at the head. */
export function countLeading(messages: readonly Message[]): number {
  const begin = messages.findIndex((message) => !isInstruction(message));
  return begin < 0 ? messages.length : begin;
}

export function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer";
}

function turnOf(message: Message, index: number): Turn {
  const role = message.role === "assistant" ? "model" : "user";
  if (isOwn(message)) return { role, blocks: [...message.blocks], written: message, index };
  const blocks = message.blocks.filter((block) => !("text" in block) || !isNothing(block));
  return { role, blocks, written: undefined, index };
}

function isNothing(block: Block): boolean {
  return (block.type === "text" || block.type === "refusal") && block.text === "";
}

import type { Conversation } from "./conversation.ts";
import type { Media } from "./media.ts";
import { ownWords } from "./own-words.ts";

/** The conversation as the rules look at it. */
export interface Prompt {
  /** The last message of the user. */
  readonly text: string;
  /** The same, without the middle if it is long. This suffices for most rules. */
  readonly gist: string;
  readonly media: readonly Media[];
  readonly system: string;
  /** Earlier messages of the user and the system, oldest first. */
  readonly earlier: readonly string[];
  /** Results of tools since the assistant called them; empty if a message of the user follows. */
  readonly results: readonly ToolResult[];
  /** The beginning of the answer, which the assistant is to go on from. */
  readonly begun?: string;
}

interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

export function readPrompt(conversation: Conversation, goesOn = false): Prompt {
  const last = conversation.at(-1);
  const isAsked = last?.role === "user" && CONTINUE.test(last.text);
  const before = isAsked ? conversation.slice(0, -1) : conversation;
  const begun = isAsked || goesOn ? before.at(-1) : undefined;
  if (begun?.role !== "assistant" || begun.text === "") return readTurns(conversation);
  return { ...readTurns(before), begun: begun.text };
}

/** Nothing but the wish that the assistant goes on. */
const CONTINUE = /^\s*(?:please\s+)?(?:continue|go on)\s*[.!]?\s*$/i;

function readTurns(conversation: Conversation): Prompt {
  const lastUser = conversation.findLastIndex((turn) => turn.role === "user");
  const user = conversation[lastUser];
  const system = conversation.flatMap((turn) => (turn.role === "system" ? [turn.text] : []));
  const earlier = conversation
    .slice(0, Math.max(0, lastUser))
    .flatMap((turn) => (turn.role === "user" || turn.role === "system" ? [turn.text] : []));

  const text = user?.role === "user" ? ownWords(user.text) : "";
  return {
    text,
    gist: gistOf(text),
    media: user?.role === "user" ? user.media : [],
    system: system.join("\n"),
    earlier,
    results: trailingResults(conversation),
  };
}

const GIST_CHARACTERS = 4_000;

export function gistOf(text: string): string {
  if (text.length <= 2 * GIST_CHARACTERS) return text;
  return `${text.slice(0, GIST_CHARACTERS)}\n${text.slice(-GIST_CHARACTERS)}`;
}

function trailingResults(conversation: Conversation): readonly ToolResult[] {
  const before = conversation.findLastIndex((turn) => turn.role !== "result");
  return conversation
    .slice(before + 1)
    .flatMap((turn) => (turn.role === "result" ? [{ tool: turn.tool, text: turn.text }] : []));
}

import type { Conversation, RequestSpec, Turn as SaidTurn } from "../engine/conversation.ts";
import { describeMedia, type Media } from "../engine/media.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import type { Block } from "./blocks.ts";
import type { Turn } from "./messages.ts";
import { isPaused } from "./model-support.ts";
import type { MessagesRequest } from "./request.ts";
import { reasoningEffort } from "./thinking-rules.ts";

/** The prompt of the engine. The blocks are cut afterwards, so it has no limits. */
export function questionOf(request: MessagesRequest): RequestSpec {
  const { tools, choice, mayCallInParallel, output, system, turns } = request;
  return {
    conversation: [
      ...system.map((block): SaidTurn => ({ role: "system", text: textOf([block]) })),
      ...conversationOf(turns),
    ],
    // An answer that paused has what it searched for, and goes on without searching again.
    tools: tools
      .filter(({ serverType }) => serverType === undefined || !isPaused(request))
      .map(({ tool }) => tool),
    choice,
    mayCallInParallel,
    format: output.format,
    reasoning: reasoningEffort(request),
    stop: [],
    goesOn: true,
    variant: 0,
  };
}

function conversationOf(turns: readonly Turn[]): Conversation {
  const names = new Map(
    turns.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "call" ? [[block.id, block.name] as const] : [])),
    ),
  );
  return turns.flatMap(({ role, blocks }): readonly SaidTurn[] => {
    if (role === "system") return [{ role, text: textOf(blocks) }];
    if (role === "assistant") {
      const calls = blocks.flatMap((block) =>
        block.kind === "call"
          ? [{ kind: "function" as const, name: block.name, input: JSON.stringify(block.input) }]
          : [],
      );
      return [{ role, text: textOf(blocks), calls }];
    }
    const results = blocks.flatMap((block): readonly SaidTurn[] =>
      block.kind === "result"
        ? [{ role: "result", tool: names.get(block.id) ?? "", text: resultText(block) }]
        : [],
    );
    const rest = blocks.filter((block) => block.kind !== "result");
    return rest.length === 0
      ? results
      : [...results, { role: "user", text: textOf(rest), media: mediaOf(rest) }];
  });
}

/** The engine reads results as text, so a picture among them becomes its description. */
function resultText(block: Extract<Block, { kind: "result" }>): string {
  return [block.text, ...block.media.map(describeMedia)].filter((text) => text !== "").join("\n");
}

function textOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  return withoutMagicWords(texts.join("\n"));
}

function mediaOf(blocks: readonly Block[]): readonly Media[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case "image":
        return [block.media];
      case "document":
      case "search_result":
        return [block.document.media];
      case "upload":
        return [{ kind: "file" as const, name: block.fileId }];
      default:
        return [];
    }
  });
}

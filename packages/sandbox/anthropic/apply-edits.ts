import { countTokens } from "../engine/tokens.ts";
import type { JsonObject } from "../json.ts";
import type { ContextEdit } from "./context-edits.ts";
import { totalTokens, type Segment } from "./prompt-segments.ts";
import type { PromptRequest } from "./request.ts";

/** A prompt after its edits, and the report of the edits in the answer. */
interface EditedPrompt {
  readonly segments: readonly Segment[];
  readonly applied: readonly JsonObject[];
}

/** Leaves out old results of tools; old thoughts are left out when the prompt is counted. */
export function applyEdits(
  { edits = [], turns }: PromptRequest,
  segments: readonly Segment[],
): EditedPrompt {
  const names = new Map(
    turns.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "call" ? [[block.id, block.name] as const] : [])),
    ),
  );
  return edits.reduce<EditedPrompt>(
    (edited, edit) => {
      if (edit.kind === "compaction") return edited;
      return edit.kind === "tool_uses" ? clearResults(edited, edit, names) : clearThoughts(edited);
    },
    { segments, applied: [] },
  );
}

function clearResults(
  edited: EditedPrompt,
  edit: Extract<ContextEdit, { kind: "tool_uses" }>,
  names: ReadonlyMap<string, string>,
): EditedPrompt {
  const { segments, applied } = edited;
  const results = segments.filter(({ block }) => block?.kind === "result");
  const size = edit.trigger.type === "tool_uses" ? results.length : totalTokens(segments);
  if (size <= edit.trigger.value) return edited;

  const nameOf = (id: string) => names.get(id) ?? "";
  const old = results
    .slice(0, Math.max(0, results.length - edit.keep))
    .filter(
      ({ block }) => block?.kind === "result" && !edit.excludedTools.includes(nameOf(block.id)),
    );
  const ids = new Set(old.flatMap(({ block }) => (block?.kind === "result" ? [block.id] : [])));
  const inputs = segments.filter(
    ({ block }) => block?.kind === "call" && ids.has(block.id) && edit.clearsInput(block.name),
  );
  const cleared = new Set([...old, ...inputs]);
  const tokens = [...cleared].reduce(
    (sum, segment) => sum + Math.max(0, segment.tokens - CLEARED_TOKENS),
    0,
  );
  if (old.length === 0 || tokens < edit.clearAtLeastTokens) return edited;
  return {
    segments: segments.map((segment) => (cleared.has(segment) ? clear(segment) : segment)),
    applied: [
      ...applied,
      {
        type: "clear_tool_uses_20250919",
        cleared_tool_uses: old.length,
        cleared_input_tokens: tokens,
      },
    ],
  };
}

function clear(segment: Segment): Segment {
  return { ...segment, text: CLEARED, tokens: Math.min(segment.tokens, CLEARED_TOKENS) };
}

const CLEARED = "[Old tool result content cleared]";
const CLEARED_TOKENS = countTokens(CLEARED);

/** They are not counted in the first place; here it is only said how many they were. */
function clearThoughts({ segments, applied }: EditedPrompt): EditedPrompt {
  const gone = segments.filter((segment) => segment.forgottenTokens > 0);
  if (gone.length === 0) return { segments, applied };
  const messages = gone.map(({ block }) => block?.path.split(".content")[0]);
  return {
    segments,
    applied: [
      ...applied,
      {
        type: "clear_thinking_20251015",
        cleared_thinking_turns: new Set(messages).size,
        cleared_input_tokens: gone.reduce((sum, each) => sum + each.forgottenTokens, 0),
      },
    ],
  };
}

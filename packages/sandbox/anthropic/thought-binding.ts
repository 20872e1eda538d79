import type { JsonObject } from "../json.ts";
import type { Block } from "./blocks.ts";
import { invalid } from "./error.ts";
import { MODELS, type Model } from "./models.ts";
import type { PromptRequest } from "./request.ts";
import { boundTo, isSeal, type Binding } from "./seal.ts";

/** The treatment of the reasoning that came back. */
export interface ThoughtCheck {
  /** One entry for each thought that was left out, as answers tell it. */
  readonly transformations: readonly JsonObject[];
  /** The state that binds the reasoning of the answer to this request. */
  readonly binding: Binding;
}

const CONTROLS = "thinking-binding-controls-2026-08-01";

/**
 * A thought is good only as it was given out, for the model that made it or a
 * later one, and behind what stood before it when it was made.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
export function checkThoughts(prompt: PromptRequest): ThoughtCheck {
  const { model, turns, thinking, betas, account } = prompt;
  const before: unknown[] = [
    prompt.tools.map(({ raw }) => withoutCache(raw)),
    prompt.system.map(({ raw }) => withoutCache(raw)),
  ];
  const transformations: JsonObject[] = [];
  let thought = "";
  let isDropping = false;
  const bindsPrefix = model.bindsPrefix || thinking.onMismatch !== undefined;
  const bindingNow = (): Binding => ({
    prefix: JSON.stringify(before),
    thought,
    account: account,
  });

  for (const { role, blocks } of turns) {
    for (const block of blocks) {
      if (block.kind !== "thinking" && block.kind !== "redacted_thinking") {
        before.push([role, withoutCache(block.raw)]);
        continue;
      }
      const maker = makerOf(block);
      const bound = boundTo(block.seal.token, bindingNow());
      const reason = mismatchOf(maker, model, bound, { isFirst: thought === "", bindsPrefix });
      thought = block.seal.token;
      if (reason === undefined && !isDropping) continue;
      if (reason === "prefix_binding_mismatch" && thinking.onMismatch !== "drop_block")
        throw prefixMismatch(block, betas.has(CONTROLS));
      // The vendor leaves out every thought behind one that it had to leave out for its place.
      isDropping ||= reason === "prefix_binding_mismatch";
      transformations.push({
        type: "thinking_dropped",
        path: block.path,
        reason: reason ?? "prefix_binding_mismatch",
      });
    }
  }
  return { transformations, binding: bindingNow() };
}

function mismatchOf(
  maker: Model,
  model: Model,
  bound: Record<keyof Binding, boolean>,
  { isFirst, bindsPrefix }: { readonly isFirst: boolean; readonly bindsPrefix: boolean },
): string | undefined {
  if (maker.createdOn > model.createdOn) return "model_binding_mismatch";
  if (maker.bindsAccount && !bound.account) return "organization_binding_mismatch";
  if (!bindsPrefix || !maker.bindsPrefix) return undefined;
  // Thoughts may be left out from the front, but not from the middle.
  return bound.prefix && (bound.thought || isFirst) ? undefined : "prefix_binding_mismatch";
}

function makerOf(block: Extract<Block, { kind: "thinking" | "redacted_thinking" }>): Model {
  const { kind, seal } = block;
  const maker = MODELS.find(({ id }) =>
    isSeal(seal.token, { kind, owner: id, shown: kind === "thinking" ? seal.shown : "" }),
  );
  if (maker !== undefined) return maker;
  const member = kind === "thinking" ? "signature" : "data";
  throw invalid(block.path, `Invalid \`${member}\` in \`${kind}\` block`);
}

function prefixMismatch({ path }: Block, hasControls: boolean) {
  const hint = hasControls
    ? ""
    : ` That setting requires the \`${CONTROLS}\` value in the \`anthropic-beta\` header.`;
  return invalid(
    path,
    'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".' +
      hint,
  );
}

function withoutCache({ cache_control: _cache, ...raw }: JsonObject): JsonObject {
  return raw;
}

import type { JSONObject } from "@ai-sdk/provider";
import type { Reasoning } from "#core/chat.ts";
import { membersOf, type Members } from "./unknown.ts";
import { budgeted, levelled, measured, type Thinker, type Wish } from "./reasoning.ts";

/** Parts of a usage, as a vendor tells them. */
export interface UsageBeside {
  readonly cachedInputTokens?: unknown;
  readonly reasoningTokens?: unknown;
}

/** What the shared interface leaves to each package's own options. */
export interface PackageTraits {
  /** Under which its options stand and its metadata comes. */
  readonly key: string;
  /** Nothing else is known of it, and the key may be another. */
  readonly isGuessed?: true;
  /** The style whose upstreams give out the same proofs of reasoning. */
  readonly proof?: "messages" | "gemini";
  /** Earlier reasoning is only taken with its proof. */
  readonly needsProof?: true;
  /** Its reading of whole answers fails where its reading of streams does not. */
  readonly readsStreamsOnly?: true;
  /** It knows no JSON without a schema: the model is asked for it in words. */
  readonly asksForJson?: true;
  /** It drops earlier calls of tools that are not offered any more. */
  readonly declaresCalls?: true;
  /** Assistants' messages may show what they showed. */
  readonly takesShown?: true;
  /** It drops text beside calls, which its vendor takes and sends as `tool_plan`. */
  readonly hasToolPlans?: true;
  /** It drops earlier reasoning. */
  readonly dropsReasoning?: true;
  /** Its vendor's results of tools are text: their media are told behind them, as the user's. */
  readonly resultsAreText?: true;
  /** It takes base64 of files other than pictures for their text, and reads bytes. */
  readonly readsFileBytes?: true;
  /** Its vendor goes on from a last message of the assistant. */
  readonly continues?: true;
  /** Options of a picture that is to be looked at in this detail. */
  detail?(detail: string): JSONObject;
  /** Usage that the package leaves out, read off an event as the vendor sent it. */
  usageBeside?(event: Members): UsageBeside | undefined;
  /** Undefined for what cannot be asked for. */
  reasoning?(asked: Reasoning, thinker: Thinker): Wish | undefined;
  /** Options of a part or a message where a caching mark ends. */
  cache?(mark: "short" | "long"): JSONObject;
  /** Keeps the model from calling several tools at once. */
  readonly oneCallAtATime?: JSONObject;
  /** A caller's id for their user. */
  user?(id: string): JSONObject;
}

const lasting = (mark: "short" | "long"): JSONObject => (mark === "long" ? { ttl: "1h" } : {});

/** By the package's name; its own documentation is the source. */
const KNOWN: Readonly<Record<string, PackageTraits>> = {
  "@ai-sdk/anthropic": {
    key: "anthropic",
    continues: true,
    proof: "messages",
    needsProof: true,
    asksForJson: true,
    reasoning(asked, thinker) {
      const { effort, spends, ...thinking } = measured(asked, thinker);
      return {
        options: { thinking, ...(effort === undefined ? {} : { effort }) },
        ...(spends === undefined ? {} : { spends }),
      };
    },
    cache: (mark) => ({ cacheControl: { type: "ephemeral", ...lasting(mark) } }),
    oneCallAtATime: { disableParallelToolUse: true },
    user: (id) => ({ metadata: { userId: id } }),
  },
  "@ai-sdk/amazon-bedrock": {
    key: "bedrock",
    proof: "messages",
    needsProof: true,
    asksForJson: true,
    declaresCalls: true,
    reasoning(asked, thinker) {
      if (!thinker.model.includes("anthropic.")) return levelled(asked, thinker, bedrockEffort);
      const { effort, spends, ...thinking } = measured(asked, thinker);
      const more = effort === undefined ? {} : { maxReasoningEffort: effort };
      return {
        options: { reasoningConfig: { ...thinking, ...more } },
        ...(spends === undefined ? {} : { spends }),
      };
    },
    cache: (mark) => ({ cachePoint: { type: "default", ...lasting(mark) } }),
  },
  "@ai-sdk/cohere": {
    key: "cohere",
    // A whole answer that cites what a tool returned is refused by the package's own check.
    readsStreamsOnly: true,
    hasToolPlans: true,
    dropsReasoning: true,
    resultsAreText: true,
    readsFileBytes: true,
    detail: (detail) => ({ detail }),
    // https://docs.cohere.com/reference/chat-stream: the `message-end` event.
    usageBeside({ type, delta }) {
      if (type !== "message-end") return undefined;
      const usage = membersOf(membersOf(delta)["usage"]);
      return {
        cachedInputTokens: usage["cached_tokens"],
        reasoningTokens: membersOf(usage["tokens"])["reasoning_tokens"],
      };
    },
    reasoning: (asked, thinker) =>
      budgeted(asked, thinker, (tokens) => ({
        thinking:
          tokens === 0
            ? { type: "disabled" }
            : { type: "enabled", ...(tokens < 0 ? {} : { tokenBudget: tokens }) },
      })),
  },
  "@ai-sdk/google": {
    key: "google",
    continues: true,
    proof: "gemini",
    takesShown: true,
    reasoning(asked, thinker) {
      const { controls } = thinker;
      const shown = asked.visible === false ? {} : { includeThoughts: true };
      return controls?.efforts !== undefined && controls.budget === undefined
        ? levelled(asked, thinker, (effort) => ({
            thinkingConfig: { thinkingLevel: effort, ...shown },
          }))
        : budgeted(asked, thinker, (tokens) => ({
            thinkingConfig: { thinkingBudget: tokens, ...shown },
          }));
    },
  },
  "@ai-sdk/openai": {
    key: "openai",
    reasoning: (asked, thinker) =>
      levelled(asked, thinker, (effort) => ({
        reasoningEffort: effort,
        ...(asked.visible === true ? { reasoningSummary: "auto" } : {}),
      })),
    oneCallAtATime: { parallelToolCalls: false },
    detail: (detail) => ({ imageDetail: detail }),
    user: (id) => ({ user: id }),
  },
};

function bedrockEffort(effort: string): JSONObject {
  return effort === "none"
    ? { reasoningConfig: { type: "disabled" } }
    : { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } };
}

/** Of a package that is not known nothing is assumed, but for where its options stand. */
export function traitsOf(packageName: string): PackageTraits {
  const known = KNOWN[packageName];
  if (known !== undefined) return known;
  const name = packageName.replace(/^@[^/]*\//, "");
  return { key: name.replaceAll(/-([a-z])/g, upper), isGuessed: true };
}

function upper(_: string, letter: string): string {
  return letter.toUpperCase();
}

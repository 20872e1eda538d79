import { usageOf, type Usage } from "#core/usage.ts";
import type { UsageBeside } from "./traits.ts";
import { isMembers, membersOf } from "./unknown.ts";

/** Totals with their parts. Undefined where the vendor did not say: then it is counted here. */
export function readUsage(usage: unknown, beside: UsageBeside = {}): Usage | undefined {
  const { inputTokens: input, outputTokens: output } = membersOf(usage);
  if (!isMembers(input) || !isMembers(output)) return undefined;
  return usageOf({
    inputTokens: input["total"],
    cachedInputTokens: input["cacheRead"] ?? beside.cachedInputTokens,
    cacheWriteTokens: input["cacheWrite"],
    outputTokens: output["total"],
    reasoningTokens: output["reasoning"] ?? beside.reasoningTokens,
  });
}

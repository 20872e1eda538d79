import { planReasoning, type ReasoningControls } from "#core/reasoning.ts";

/**
 * The step to ask for where a caller wants reasoning and names no step: the
 * middle one. `undefined` where the model does best unasked. One that can be
 * without reasoning usually is, until it is told how much.
 */
export function unaskedEffort(controls: ReasoningControls | undefined): string | undefined {
  if (controls?.efforts?.includes("none") !== true) return undefined;
  const plan = planReasoning({ effort: "medium" }, controls);
  return plan?.mode === "effort" ? plan.effort : undefined;
}

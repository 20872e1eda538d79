import { CALL_FEATURES, type CallFeature } from "#core/model.ts";
import { planReasoning } from "#core/reasoning.ts";
import type { Asking, Candidate } from "./route.ts";

/** A style that the call requires, and the feature that requires it. */
export interface NeededStyle {
  readonly style: string;
  readonly feature: CallFeature;
}

/** Whether anything of the model or channel requires a style; for most, nothing does. */
export function mayNeedStyle({ provider, channel, traits }: Candidate): boolean {
  if (traits.rules?.needsStyle !== undefined) return true;
  return channel.options !== undefined && provider.needsStyle !== undefined;
}

/**
 * The only style in which this model or channel accepts the call. The call is parsed only if some
 * feature requires a style other than `usual`.
 */
export function neededStyle(
  { provider, channel, traits, steering }: Candidate,
  { style, body }: Asking,
  usual: string,
): NeededStyle | undefined {
  const ofChannel = channel.options && provider.needsStyle?.(channel.options);
  const ofModel = traits.rules?.needsStyle;
  const needs = { ...ofModel, ...ofChannel };
  const features = CALL_FEATURES.filter((each) => (needs[each] ?? usual) !== usual);
  if (features.length === 0) return undefined;

  const wants = style.inbound.wantsOf?.(body.json);
  const asked = { ...steering, ...wants?.reasoning };
  const plan = planReasoning(asked, traits.reasoningControls);
  const has: Readonly<Record<CallFeature, boolean>> = {
    any: true,
    tools: wants?.hasTools === true && plan?.mode !== "off",
    web_search: wants?.searches === true,
    effort_max: plan?.mode === "effort" && plan.effort === "max",
  };
  const feature = features.find((each) => has[each]);
  const needed = feature && needs[feature];
  return feature && needed !== undefined ? { style: needed, feature } : undefined;
}

import type { ChatRequest, Sampling } from "#core/chat.ts";
import type { ModelTraits, TuningSetting } from "#core/model.ts";

/** Sampling settings of a request, without those that the model refuses. */
export function fitSampling(
  { sampling }: Pick<ChatRequest, "sampling">,
  { rules }: ModelTraits,
  isThinking: boolean,
): { readonly sampling: Sampling; readonly lost: readonly string[] } {
  const fit = { ...sampling };
  const lost: string[] = [];
  const drop = (setting: TuningSetting): void => {
    const name = NAMES[setting];
    if (name === undefined || fit[name] === undefined) return;
    if (fit[name] !== USUAL[setting]) lost.push(setting);
    delete fit[name];
  };
  for (const setting of rules?.refuses ?? []) drop(setting);
  // Families that take one sampler refuse both of them while they think.
  if (isThinking && rules?.thinking !== undefined) {
    drop("temperature");
    drop("top_k");
    if ((fit.topP ?? 1) < LEAST_THINKING_TOP_P) drop("top_p");
  }
  if (rules?.oneSampler === true && fit.temperature !== undefined) drop("top_p");
  return { sampling: fit, lost };
}

const LEAST_THINKING_TOP_P = 0.95;

const NAMES: Readonly<Partial<Record<TuningSetting, keyof Sampling>>> = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  seed: "seed",
};

/** Values that change nothing. */
const USUAL: Readonly<Partial<Record<TuningSetting, number>>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

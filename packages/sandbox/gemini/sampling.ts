import { brokenRules, invalid, type BrokenRule } from "./error.ts";
import type { Model } from "./models.ts";
import type { GenerationConfig } from "./proto/generation-config.ts";

/** How many answers, how long, and with how much luck. */
export interface Sampling {
  readonly candidates: number;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** How many alternatives are told of each token; `undefined` tells nothing. */
  readonly logprobs: number | undefined;
}

export function readSampling(config: GenerationConfig, model: Model, root: string): Sampling {
  const broken = rulesOf(config, model);
  if (broken.length > 0) throw brokenRules(root, broken);
  checkSupport(config, model);
  const { candidateCount, maxOutputTokens, stopSequences = [], logprobs = 0 } = config;
  return {
    candidates: candidateCount ?? 1,
    // More than the model can write is allowed, and less comes.
    maxTokens: Math.min(maxOutputTokens ?? Infinity, model.outputTokens),
    stop: stopSequences,
    logprobs: config.responseLogprobs === true ? logprobs : undefined,
  };
}

function rulesOf(config: GenerationConfig, { maxTemperature }: Model): readonly BrokenRule[] {
  const { temperature, topP, topK, candidateCount, maxOutputTokens, logprobs } = config;
  const decimal = (value: number) => value.toFixed(1);
  const range = (name: string, value: number | undefined, low: number, high: number) =>
    value === undefined || (value >= low && value <= high)
      ? []
      : [broken(name, `${name} must be in the range [${decimal(low)}, ${decimal(high)}].`)];
  const whole = (name: string, value: number | undefined, low: number, high: number) =>
    value === undefined || (value >= low && value <= high)
      ? []
      : [broken(name, `${name} must be in the range [${low}, ${high}].`)];
  const positive = (name: string, value: number | undefined) =>
    value === undefined || value > 0 ? [] : [broken(name, `${name} must be positive.`)];

  return [
    ...range("temperature", temperature, 0, maxTemperature),
    ...range("top_p", topP, 0, 1),
    ...positive("top_k", topK),
    ...whole("candidate_count", candidateCount, 1, 8),
    ...positive("max_output_tokens", maxOutputTokens),
    ...whole("logprobs", logprobs, 0, 20),
    ...range("presence_penalty", config.presencePenalty, -2, 2),
    ...range("frequency_penalty", config.frequencyPenalty, -2, 2),
    ...((config.stopSequences?.length ?? 0) > 5
      ? [broken("stop_sequences", "only up to 5 stop sequences can be specified.")]
      : []),
    ...(logprobs !== undefined && config.responseLogprobs !== true
      ? [broken("logprobs", "logprobs can only be set when response_logprobs is true.")]
      : []),
  ];
}

function broken(name: string, reason: string): BrokenRule {
  return { path: `generation_config.${name}`, reason };
}

/** From the models that think on, neither penalties nor probabilities are to be had, and pictures come alone. */
function checkSupport(
  config: GenerationConfig,
  { id, generation, pictures, isStrict }: Model,
): void {
  if ((pictures !== undefined || isStrict) && (config.candidateCount ?? 1) > 1)
    throw invalid(`Multiple candidates is not enabled for models/${id}`);
  if (generation === "2.0") return;
  if (config.presencePenalty !== undefined || config.frequencyPenalty !== undefined)
    throw invalid(`Penalty is not enabled for models/${id}`);
  if (config.responseLogprobs === true) throw invalid(`Logprobs is not enabled for models/${id}`);
}

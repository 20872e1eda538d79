import type { ChatRequest, Sampling } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { defined } from "#lib/values.ts";
import type { Output } from "./output-out.ts";
import { spellingIn } from "./spelling.ts";

type Fit = Pick<Sampling, "temperature" | "topP" | "topK">;

/** Below this a thinking model refuses it. */
const LEAST_THINKING_TOP_P = 0.95;

export function fitSampling(request: ChatRequest, { isThinking }: Output, report: LossReport): Fit {
  const sampling = withoutNone(request.sampling);
  if (isThinking === "planned") return whileThinking(sampling, report);
  if (spellingIn(request) === undefined) return oneOfTwo(sampling, report);
  // Advised by some beside thinking, and refused by every vendor.
  const isRefused = isThinking === "written" && sampling.topP === 0;
  const { topP: _, ...rest } = sampling;
  return isRefused ? rest : sampling;
}

/** Some say with a negative number that they say nothing. */
function withoutNone({ topK, ...rest }: Sampling): Sampling {
  return topK === undefined || topK < 0 ? rest : { ...rest, topK };
}

/** A model that thinks chooses freely. */
function whileThinking({ temperature = 1, topP = 1, topK }: Sampling, report: LossReport): Fit {
  if (temperature !== 1) report.lose("temperature");
  if (topK !== undefined) report.lose("top_k");
  if (topP >= LEAST_THINKING_TOP_P) return topP === 1 ? {} : { topP };
  if (topP !== 0) report.lose("top_p");
  return {};
}

/** The range ends at 1, and newer models take either this or that. */
function oneOfTwo({ temperature, topP, topK }: Sampling, report: LossReport): Fit {
  const clamped = temperature === undefined ? undefined : Math.min(temperature, 1);
  if (clamped !== temperature) report.lose("temperature");
  const narrowed = topP === 1 ? undefined : topP;
  if (narrowed === undefined || clamped === undefined) {
    return defined({ temperature: clamped, topP: narrowed, topK });
  }
  // As free as can be is what is meant where nothing is said.
  if (clamped === 1) return defined({ topP: narrowed, topK });
  report.lose("top_p");
  return defined({ temperature: clamped, topK });
}

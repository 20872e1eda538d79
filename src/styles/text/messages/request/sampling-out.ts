import type { ChatRequest, Sampling } from "#core/chat.ts";
import { defined } from "#lib/values.ts";
import type { Output } from "./output-out.ts";
import { rawFieldsOf } from "../raw-fields.ts";

type Samplers = Pick<Sampling, "temperature" | "topP" | "topK">;

interface Fit {
  readonly sampling: Samplers;
  readonly lost: readonly string[];
}

/** Below this a thinking model refuses it. */
const LEAST_THINKING_TOP_P = 0.95;

export function fitSampling(request: ChatRequest, { isThinking }: Output): Fit {
  const sampling = withoutNone(request.sampling);
  if (isThinking === "planned") return whileThinking(sampling);
  if (rawFieldsOf(request) === undefined) return oneOfTwo(sampling);
  // Advised by some beside thinking, and refused by every vendor.
  const isRefused = isThinking === "written" && sampling.topP === 0;
  const { topP: _, ...rest } = sampling;
  return { sampling: isRefused ? rest : sampling, lost: [] };
}

/** Some say with a negative number that they say nothing. */
function withoutNone({ topK, ...rest }: Sampling): Sampling {
  return topK === undefined || topK < 0 ? rest : { ...rest, topK };
}

/** A model that thinks chooses freely. */
function whileThinking({ temperature = 1, topP = 1, topK }: Sampling): Fit {
  const isWide = topP >= LEAST_THINKING_TOP_P;
  return {
    sampling: isWide && topP !== 1 ? { topP } : {},
    lost: [
      ...(temperature === 1 ? [] : ["temperature"]),
      ...(topK === undefined ? [] : ["top_k"]),
      ...(isWide || topP === 0 ? [] : ["top_p"]),
    ],
  };
}

/** The range ends at 1, and newer models take either this or that. */
function oneOfTwo({ temperature, topP, topK }: Sampling): Fit {
  const clamped = temperature === undefined ? undefined : Math.min(temperature, 1);
  const lost = clamped === temperature ? [] : ["temperature"];
  const narrowed = topP === 1 ? undefined : topP;
  if (narrowed === undefined || clamped === undefined) {
    return { sampling: defined({ temperature: clamped, topP: narrowed, topK }), lost };
  }
  // As free as can be is what is meant where nothing is said.
  if (clamped === 1) return { sampling: defined({ topP: narrowed, topK }), lost };
  return { sampling: defined({ temperature: clamped, topK }), lost: [...lost, "top_p"] };
}

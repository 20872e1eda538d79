import { hash } from "../engine/random.ts";
import type { JsonObject } from "../json.ts";

/** How sure the model was of a token, and of so many others in its place: all invented, all in order. */
export function tokenLogprob(token: string, alternatives: number): JsonObject {
  const logprob = -(hash(token) % 1_000) / 5_000;
  const others = Array.from({ length: Math.max(0, alternatives - 1) }, (_, index) =>
    entry(`${token}${"'".repeat(index + 1)}`, Number((logprob - 1.5 * (index + 1)).toFixed(4))),
  );
  const top = alternatives === 0 ? [] : [entry(token, logprob), ...others];
  return { ...entry(token, logprob), top_logprobs: top };
}

function entry(token: string, logprob: number): JsonObject {
  return { token, logprob, bytes: [...new TextEncoder().encode(token)] };
}

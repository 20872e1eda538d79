import { hash } from "../engine/random.ts";
import { splitTokens } from "../engine/tokens.ts";
import type { JsonObject } from "../json.ts";

/** How sure the model was of each token, and of so many in its place: all invented, all in order. */
export function logprobsResult(text: string, alternatives: number): JsonObject {
  const tokens = [...splitTokens(text)];
  return {
    ...(alternatives === 0
      ? {}
      : {
          topCandidates: tokens.map((token) => ({
            candidates: Array.from({ length: alternatives }, (_, index) =>
              entry(`${token}${"'".repeat(index)}`, sureness(token) - 1.5 * index),
            ),
          })),
        }),
    chosenCandidates: tokens.map((token) => entry(token, sureness(token))),
  };
}

export function averageLogprob(text: string): number {
  const tokens = [...splitTokens(text)];
  const sum = tokens.reduce((all, token) => all + sureness(token), 0);
  return tokens.length === 0 ? 0 : Number((sum / tokens.length).toFixed(8));
}

function entry(token: string, logProbability: number): JsonObject {
  return {
    token,
    tokenId: hash(token) % 262_144,
    logProbability: Number(logProbability.toFixed(6)),
  };
}

function sureness(token: string): number {
  return -(hash(token) % 1_000) / 5_000;
}

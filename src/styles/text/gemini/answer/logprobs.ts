import { Buffer } from "node:buffer";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf, textOf } from "#lib/values.ts";

/** The hub's list of tokens out of the style's two lists: the chosen ones, and the likeliest of each place. */
export function parseLogprobs(result: Json | undefined): readonly JsonObject[] | undefined {
  const chosen = listOf(memberOf(result, "chosenCandidates")).filter(isObject);
  if (chosen.length === 0) return undefined;
  const tops = listOf(memberOf(result, "topCandidates"));
  return chosen.map((candidate, at) => ({
    ...tokenOf(candidate),
    top_logprobs: listOf(memberOf(tops[at], "candidates")).filter(isObject).map(tokenOf),
  }));
}

function tokenOf(candidate: JsonObject): JsonObject {
  const token = textOf(candidate["token"]) ?? "";
  return {
    token,
    logprob: numberOf(candidate["logProbability"]) ?? 0,
    bytes: [...Buffer.from(token)],
  };
}

/** `undefined` where nobody asked. */
export function buildLogprobs(logprobs: Json | undefined): JsonObject | undefined {
  const tokens = isArray(logprobs) ? logprobs.filter(isObject) : [];
  if (tokens.length === 0) return undefined;
  return {
    topCandidates: tokens.map((token) => ({
      candidates: listOf(token["top_logprobs"]).filter(isObject).map(candidateOf),
    })),
    chosenCandidates: tokens.map(candidateOf),
  };
}

function candidateOf(token: JsonObject): JsonObject {
  return {
    token: textOf(token["token"]) ?? "",
    logProbability: numberOf(token["logprob"]) ?? 0,
  };
}

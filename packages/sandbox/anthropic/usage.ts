import { reportedUsage } from "../faults/usage-faults.ts";
import type { Faults } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";
import type { CacheVisit } from "./prompt-cache.ts";

/** Counts an answer while it is given. */
export interface UsageMeter {
  thought(tokens: number): void;
  wrote(tokens: number): void;
  /** A tool of the vendor's has run, and the model has read what it found. */
  ranTool(name: string, isCounted: boolean, resultTokens: number): void;
  /** Usage in the first event of a stream. */
  opening(): JsonObject | undefined;
  /** Usage in the last event: changes since the first event, and the sums. */
  closing(): JsonObject | undefined;
  whole(): JsonObject | undefined;
}

interface InputUsage {
  readonly totalTokens: number;
  readonly cache: CacheVisit;
  readonly geo: string;
  /** Whether the model thinks at all, so that thoughts are counted. */
  readonly thinks: boolean;
}

export function usageMeter(input: InputUsage, faults: Faults): UsageMeter {
  const { readTokens, written } = input.cache;
  const creation = written["5m"] + written["1h"];
  let thinking = 0;
  let output = 0;
  let found = 0;
  const runs = new Map<string, number>();

  function prompt(): JsonObject {
    return {
      input_tokens: input.totalTokens - readTokens - creation + found,
      cache_creation_input_tokens: creation,
      cache_read_input_tokens: readTokens,
    };
  }

  function details(): JsonObject {
    return {
      ...(input.thinks ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
      ...(runs.size === 0 ? {} : { server_tool_use: requests(runs) }),
    };
  }

  const kept = {
    cache_creation: {
      ephemeral_5m_input_tokens: written["5m"],
      ephemeral_1h_input_tokens: written["1h"],
    },
  };
  const service = { service_tier: "standard", inference_geo: input.geo };

  return {
    thought(tokens) {
      thinking += tokens;
      output += tokens;
    },
    wrote(tokens) {
      output += tokens;
    },
    ranTool(name, isCounted, resultTokens) {
      runs.set(name, (runs.get(name) ?? 0) + (isCounted ? 1 : 0));
      found += resultTokens;
    },
    opening: () => reportedUsage({ ...prompt(), ...kept, output_tokens: 1, ...service }, faults),
    closing: () => reportedUsage({ ...prompt(), output_tokens: output, ...details() }, faults),
    whole: () =>
      reportedUsage(
        { ...prompt(), ...kept, output_tokens: output, ...details(), ...service },
        faults,
      ),
  };
}

function requests(runs: ReadonlyMap<string, number>): JsonObject {
  return {
    web_search_requests: runs.get("web_search") ?? 0,
    web_fetch_requests: runs.get("web_fetch") ?? 0,
  };
}

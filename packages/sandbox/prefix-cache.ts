import { hash } from "./engine/random.ts";
import { splitTokens } from "./engine/tokens.ts";

/** Remembers the beginnings of prompts, as vendors do to charge less for them. */
export interface PrefixCache {
  /** How many leading tokens were seen before; remembers the prompt for the next time. */
  visit(prompt: string): number;
}

/** From 1,024 tokens on, in steps of 128, unless the vendor has it otherwise. */
export function prefixCache({
  firstTokens = FIRST_TOKENS,
  stepTokens = STEP_TOKENS,
}: { readonly firstTokens?: number; readonly stepTokens?: number } = {}): PrefixCache {
  const seen = new Set<string>();

  function visit(prompt: string): number {
    let cached = 0;
    let count = 0;
    let sum = hash("");
    for (const token of splitTokens(prompt)) {
      sum = hash(token, sum);
      count++;
      if (count < firstTokens || count % stepTokens !== 0) continue;
      const key = `${count} ${sum}`;
      if (seen.has(key)) cached = count;
      else remember(key);
    }
    return cached;
  }

  function remember(key: string): void {
    seen.add(key);
    const [oldest] = seen;
    if (seen.size > MAX_REMEMBERED && oldest !== undefined) seen.delete(oldest);
  }

  return { visit };
}

const FIRST_TOKENS = 1_024;
const STEP_TOKENS = 128;
const MAX_REMEMBERED = 20_000;

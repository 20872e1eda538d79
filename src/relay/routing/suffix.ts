import type { Reasoning } from "#core/chat.ts";
import type { SuffixKind } from "#core/model.ts";

/** A model name split into another name and a reasoning suffix. */
interface SuffixReading {
  readonly base: string;
  readonly kind: SuffixKind;
  readonly steering: Reasoning;
}

const MAX_BUDGET = 10_000_000;

/** All possible splits of a name; the models' families declare which apply. */
export function readSuffixes(name: string): readonly SuffixReading[] {
  const found: SuffixReading[] = [];
  const read = (pattern: RegExp, kind: SuffixKind, steer: (word: string) => Reasoning): void => {
    const match = pattern.exec(name);
    if (match === null) return;
    found.push({ base: name.slice(0, match.index), kind, steering: steer(match[1] ?? "") });
  };

  read(/-thinking$/, "thinking", () => ({ enabled: true, budgetTokens: -1, visible: true }));
  read(/-nothinking$/, "thinking", () => ({ enabled: false, budgetTokens: 0 }));
  read(/-thinking-(\d{1,8})$/, "budget", (digits) => {
    const budgetTokens = Math.min(Number(digits), MAX_BUDGET);
    return budgetTokens === 0
      ? { enabled: false, budgetTokens }
      : { enabled: true, budgetTokens, visible: true };
  });
  read(/-thinking-(low|high)$/, "level", (effort) => ({ effort, visible: true }));
  read(/-(none|minimal|low|medium|high|xhigh|max)$/, "effort", (effort) => ({
    effort,
    visible: true,
  }));
  return found;
}

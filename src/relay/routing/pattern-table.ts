import type { Channel } from "#core/channel.ts";
import { isPattern, starOf, withStar } from "#core/model-pattern.ts";

/** A mapping of names to the names of a channel's upstream. */
interface ModelPattern {
  readonly channel: Channel;
  /** As the owner wrote it: `openai/*`. */
  readonly text: string;
  /** The same behind the channel's prefix, for the names that have it. */
  readonly full: string;
  /** `*`, `vendor/*`, or one name. */
  readonly upstream: string;
}

/** A name that a pattern stands for. */
export interface PatternMatch {
  readonly pattern: ModelPattern;
  readonly upstreamModel: string;
  /** The name without the channel's prefix, if it has it. */
  readonly plainName: string | undefined;
}

/** Names without a pattern of their own are looked up in others' order: `*` is last. */
export type PatternKind = "specific" | "any";

const ALL_NAMES = "*";

/** The patterns of all channels, the longest first. */
export class PatternTable {
  readonly #patterns: readonly ModelPattern[];

  constructor(channels: readonly Channel[]) {
    this.#patterns = channels
      .flatMap(patternsOf)
      .toSorted((one, other) => other.full.length - one.full.length);
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  get all(): readonly ModelPattern[] {
    return this.#patterns;
  }

  /** The matches of the longest patterns; empty if no pattern matches. */
  match(name: string, kind?: PatternKind): readonly PatternMatch[] {
    const found: PatternMatch[] = [];
    let length = 0;
    for (const pattern of this.#patterns) {
      const { full } = pattern;
      if (found.length > 0 && full.length < length) break;
      if (kind !== undefined && (full === ALL_NAMES) !== (kind === "any")) continue;
      const match = matchOf(pattern, name);
      if (match === undefined) continue;
      found.push(match);
      length = full.length;
    }
    return found;
  }

  /** The length of the longest patterns that stand for a name. */
  lengthFor(name: string): number {
    return this.#patterns.find(({ full }) => starOf(full, name) !== undefined)?.full.length ?? 0;
  }
}

function patternsOf(channel: Channel): readonly ModelPattern[] {
  const { models, modelPrefix } = channel;
  if (models.kind === "discover") return [];
  return [...models.upstreamNames].flatMap(([text, upstream]) => {
    if (!isPattern(text)) return [];
    const plain = { channel, text, full: text, upstream };
    return modelPrefix === undefined
      ? [plain]
      : [plain, { ...plain, full: `${modelPrefix}/${text}` }];
  });
}

export function matchOf(pattern: ModelPattern, name: string): PatternMatch | undefined {
  const { text, full, upstream } = pattern;
  const star = starOf(full, name);
  if (star === undefined) return undefined;
  return {
    pattern,
    upstreamModel: withStar(upstream, star),
    plainName: full === text ? undefined : withStar(text, star),
  };
}

/** The client's name for a model of the vendor; undefined if the pattern does not lead to it. */
export function nameFor({ full, upstream }: ModelPattern, model: string): string | undefined {
  const star = isPattern(upstream) ? starOf(upstream, model) : undefined;
  return star === undefined ? undefined : withStar(full, star);
}

import { estimateCost, type NanoUsd } from "#core/money.ts";
import type { Channels } from "#relay/routing/channels.ts";
import type { Candidate } from "#relay/routing/route.ts";

/** Vendors' newest models come first in the catalogue; the oldest may not be there any more. */
const NEWEST = 10;
const A_CALL = { inputTokens: 1_000, outputTokens: 1_000 };

/**
 * A text model for a first call: of the first channel that has one, the first
 * that it lists by itself, or else the cheapest of the vendor's newest.
 */
export function findModelToTry(channels: Pick<Channels, "all" | "models">): string | undefined {
  for (const channel of channels.all) {
    const served = [...channels.models].flatMap(([name, candidates]) => {
      const own = candidates.find((each) => each.channel === channel);
      return own !== undefined && isText(own) ? { name, own } : [];
    });
    if (channel.models.kind === "listed") {
      const [first] = served;
      if (first !== undefined) return first.name;
      continue;
    }
    const known = served.filter(
      ({ own }) => own.aliasOf === undefined && own.traits.kind === "chat",
    );
    const [cheapest] = known
      .slice(0, NEWEST)
      .toSorted((a, b) => compare(costOf(a.own), costOf(b.own)));
    if (cheapest !== undefined) return cheapest.name;
  }
  return undefined;
}

/** A model that nobody knows may well be one. */
function isText({ provider, traits, upstreamModel }: Candidate): boolean {
  const { kind = "chat" } = traits;
  if (kind !== "chat") return false;
  if (provider.adapter !== undefined) return true;
  return provider.text.some((each) => each.serves?.(upstreamModel) ?? true);
}

function costOf({ price }: Candidate): NanoUsd | undefined {
  return price && estimateCost(A_CALL, price);
}

/** What has no price comes last. */
function compare(a: NanoUsd | undefined, b: NanoUsd | undefined): number {
  return Number(a ?? Infinity) - Number(b ?? Infinity) || 0;
}

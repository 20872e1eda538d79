import { estimateCost, type NanoUsd } from "#core/money.ts";
import type { Channels } from "#relay/routing/channels.ts";
import type { Candidate } from "#relay/routing/route.ts";

/** The catalogue lists newest models first; the oldest may no longer be served. */
const NEWEST = 10;
const A_CALL = { inputTokens: 1_000, outputTokens: 1_000 };

/**
 * A text model for a first call, of the first channel that has one: the first
 * that the channel lists, or else the cheapest of the vendor's newest.
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

/** An unknown model may be a text model. */
function isText({ provider, traits, upstreamModel }: Candidate): boolean {
  const { kind = "chat" } = traits;
  if (kind !== "chat") return false;
  if (provider.adapter !== undefined) return true;
  return provider.text.some((each) => each.serves?.(upstreamModel) ?? true);
}

function costOf({ price }: Candidate): NanoUsd | undefined {
  return price && estimateCost(A_CALL, price);
}

/** Models without a price come last. */
function compare(a: NanoUsd | undefined, b: NanoUsd | undefined): number {
  return Number(a ?? Infinity) - Number(b ?? Infinity) || 0;
}

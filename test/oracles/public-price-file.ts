/**
 * What a call costs by a public list of prices, by that list's own rules. It
 * shares nothing with the gateway: names of members are put together as the
 * list puts them together, and amounts are exact fractions of a dollar.
 */
export interface CountedCall {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  /** Those of the written that are kept for long. */
  readonly writtenLong: number;
  readonly audioIn: number;
  readonly output: number;
  readonly audioOut: number;
  readonly searches: number;
}

export interface Circumstances {
  readonly tier?: "flex" | "priority" | "batches" | "ultrafast";
  readonly region?: "us" | "eu";
  readonly fast?: true;
  /** Unix ms. */
  readonly at: number;
}

export type PriceEntry = Readonly<Record<string, unknown>>;

/** Dollars as a whole number of 10^-18; undefined if the list has no rule for such a call. */
export function atto(call: CountedCall, as: Circumstances, entry: PriceEntry): bigint | undefined {
  const read = (name: string): bigint | undefined => rateOf(name, call, as, entry);
  const input = read("input_cost_per_token");
  const output = read("output_cost_per_token");
  const { cached, written, writtenLong, audioIn, audioOut } = call;
  const parts: (readonly [number, bigint | undefined])[] = [
    [call.input - cached - written - audioIn, input],
    [cached, read("cache_read_input_token_cost")],
    [written - writtenLong, read("cache_creation_input_token_cost")],
    [writtenLong, longWrite(call, as, entry)],
    [audioIn, read("input_cost_per_audio_token")],
    [call.output - audioOut, output],
    [audioOut, read("output_cost_per_audio_token")],
  ];
  let tokens = 0n;
  for (const [count, rate] of parts) {
    if (count === 0) continue;
    if (rate === undefined) return undefined;
    tokens += BigInt(count) * rate;
  }
  const times = multiplier(as, entry);
  const search = call.searches === 0 ? 0n : searchCost(entry);
  if (times === undefined || search === undefined) return undefined;
  return (tokens * times) / 1_000n + BigInt(call.searches) * search;
}

function longWrite(call: CountedCall, as: Circumstances, entry: PriceEntry): bigint | undefined {
  const name = "cache_creation_input_token_cost_above_";
  return rateOf(`${name}12hr`, call, as, entry) ?? rateOf(`${name}1hr`, call, as, entry);
}

/** `input_cost_per_token` + `_above_272k_tokens` + `_flex`, the longest that applies. */
function rateOf(
  name: string,
  { input }: CountedCall,
  { tier, at }: Circumstances,
  entry: PriceEntry,
): bigint | undefined {
  const bounds = Object.keys(entry)
    .flatMap((each) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(each)?.[1] ?? [])
    .map(Number)
    .filter((thousands) => input > thousands * 1_000);
  const bound = bounds.length === 0 ? "" : `_above_${Math.max(...bounds)}k_tokens`;
  const tiered = tier === undefined ? "" : `_${tier}`;
  const offPeak = entry["off_peak_pricing"];
  if (tier === undefined && isRecord(offPeak) && isOffPeak(offPeak, at))
    return exact(offPeak[name]) ?? exact(entry[name]);
  return exact(entry[`${name}${bound}${tiered}`]);
}

function multiplier({ region, fast }: Circumstances, entry: PriceEntry): bigint | undefined {
  const own = isRecord(entry["provider_specific_entry"]) ? entry["provider_specific_entry"] : {};
  const uplift = entry[`regional_processing_uplift_multiplier_${region}`] ?? own[region ?? ""];
  const regional = region === undefined ? 1 : uplift;
  const speedy = fast === true ? own["fast"] : 1;
  if (typeof regional !== "number" || typeof speedy !== "number") return undefined;
  return BigInt(Math.round(regional * speedy * 1_000));
}

function searchCost(entry: PriceEntry): bigint | undefined {
  const cost = entry["search_context_cost_per_query"];
  return isRecord(cost) ? exact(cost["search_context_size_medium"]) : undefined;
}

function isOffPeak({ windows }: PriceEntry, at: number): boolean {
  const now = new Date(at);
  const weekday = now.getUTCDay() === 0 ? 7 : now.getUTCDay();
  const clock = now.toISOString().slice(11, 16);
  const all: readonly unknown[] = Array.isArray(windows) ? windows : [];
  return all.filter(isRecord).some(({ weekdays, hours_utc: hours }) => {
    if (!Array.isArray(weekdays) || !weekdays.includes(weekday)) return false;
    return [hours].flat().some((range) => {
      const [from = "", to = ""] = String(range).split("-");
      return clock >= from && (to === "00:00" || clock < to);
    });
  });
}

/** A number of the list, as people wrote it: `2.5e-06` dollars. */
function exact(value: unknown): bigint | undefined {
  if (typeof value !== "number") return undefined;
  // A sum of binary fractions may have crept into the list: its twelfth digit is noise.
  const [digits = "0", exponent = "0"] = value.toExponential(11).split("e");
  const whole = BigInt(digits.replace(".", ""));
  const shift = 18 + Number(exponent) - 11;
  return shift >= 0 ? whole * 10n ** BigInt(shift) : whole / 10n ** BigInt(-shift);
}

export function isRecord(value: unknown): value is PriceEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

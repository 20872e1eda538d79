const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * Parses decimal text as an integer of its smallest units: "0.15" with six
 * decimals is 150,000. It never uses binary fractions. `undefined` for anything
 * but a non-negative decimal, for too many decimals, and for more than `most`
 * units.
 */
export function parseDecimal(
  text: string,
  decimals: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;

  const [, whole = "", fraction = "", exponent = "0"] = match;
  const written = whole + fraction;
  const digits = written.replace(/0+$/, "");
  if (digits === "") return 0;
  // Trailing zeros need no decimals.
  const zeros = written.length - digits.length;
  const shift = decimals - fraction.length + zeros + Number(exponent);
  if (shift < 0) return undefined;

  const parts = BigInt(digits) * 10n ** BigInt(shift);
  return parts > BigInt(most) ? undefined : Number(parts);
}

/** The inverse, without trailing zeros: 150,000 with six decimals is "0.15". */
export function formatDecimal(parts: number | bigint, decimals: number): string {
  const digits = String(parts).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

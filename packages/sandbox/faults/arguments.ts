/** Reads one argument of a fault: the value, the default where it is absent, or an error that says what it must be. */
export type ArgumentReader<Value> = (raw: string | undefined) => Value | Error;

export function integer(low: number, high: number, fallback: number): ArgumentReader<number> {
  return (raw) => (raw === undefined ? fallback : wholeNumber(raw, low, high));
}

export function optionalInteger(low: number, high: number): ArgumentReader<number | undefined> {
  return (raw) => (raw === undefined ? undefined : wholeNumber(raw, low, high));
}

/** The first is the default. */
export function oneOf<const Choice extends string>(
  ...choices: readonly [Choice, ...Choice[]]
): ArgumentReader<Choice> {
  return (raw) =>
    raw === undefined
      ? choices[0]
      : (choices.find((choice) => choice === raw) ??
        new Error(`must be one of ${choices.join(", ")}`));
}

export const flag: ArgumentReader<boolean> = (raw) => {
  if (raw === undefined || raw === "0" || raw === "false") return false;
  return raw === "1" || raw === "true" ? true : new Error("must be 1 or 0");
};

export const text: ArgumentReader<string> = (raw) =>
  raw === undefined || raw === "" ? new Error("is required") : raw;

/** Characters that are allowed in a header. */
export const headerText: ArgumentReader<string> = (raw) =>
  raw !== undefined && /^[\x21-\x7e]+$/.test(raw)
    ? raw
    : new Error("must be printable ASCII without blanks");

export const optional: ArgumentReader<string | undefined> = (raw) => raw;

function wholeNumber(raw: string, low: number, high: number): number | Error {
  const value = Number(raw);
  const isInside = raw.trim() !== "" && Number.isInteger(value) && value >= low && value <= high;
  return isInside ? value : new Error(`must be a whole number from ${low} to ${high}`);
}

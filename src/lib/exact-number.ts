import type { Json } from "./json.ts";

/**
 * A number of JSON with more digits than a double holds, such as a 64-bit id.
 * It is written back digit for digit; its value is the nearest double.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return raw.rawJSON(this.text);
  }
}

/** TypeScript's library does not know it yet. */
const raw = JSON as unknown as { rawJSON(text: string): unknown };

/** `undefined` if the text is not JSON. Numbers that a double would round are `ExactNumber`s. */
export function parseExactJson(text: string): Json | undefined {
  try {
    return mayHoldExact(text) ? parseExact(text) : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** A quick look; it may also match inside a string. */
export function mayHoldExact(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/** Sixteen characters, or an exponent, which may be out of a double's range. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*e)/i;

type ReviveWithSource = (
  key: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;

/** Throws if the text is not JSON. */
export function parseExact(text: string): Json {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as Json;
}

const keepDigits: ReviveWithSource = (_, value, { source }) => {
  if (typeof value !== "number" || source === undefined || source.length < MIN_LENGTH) return value;
  return digitsOf(source) === digitsOf(String(value)) ? value : new ExactNumber(source);
};

/** `1e999`: anything shorter is exact. */
const MIN_LENGTH = 5;

/** The digits that count and the exponent of the last one, so that numbers of one value have the same. */
function digitsOf(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const counting = digits.replace(/0+$/, "");
  if (counting === "") return "0";
  return `${sign}${counting}e${Number(exponent) - fraction.length + digits.length - counting.length}`;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

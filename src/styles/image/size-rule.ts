import { invalid } from "#core/error.ts";

/** Supported sizes; without a rule any size is accepted. */
export interface SizeRule {
  /** In the vendor's notation, with words such as `2K`. */
  readonly oneOf?: readonly string[];
  /** Pixels of each side. */
  readonly sides?: Range;
  /** Pixels in total. */
  readonly area?: Range;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

const SIZE = /^(\d{1,5})[x*×](\d{1,5})$/i;

/**
 * A size in the vendor's notation, with `times` between width and height; undefined if the model
 * may choose. Throws `invalid_request` for an unsupported size.
 */
export function sizeFor(
  asked: string | undefined,
  rule: SizeRule,
  times: "x" | "*",
  param = "size",
): string | undefined {
  if (asked === undefined || asked === "auto") return undefined;
  const [, width, height] = SIZE.exec(asked) ?? [];
  const size = width === undefined ? asked : `${width}${times}${height}`;
  const listed = rule.oneOf?.find((one) => one.toLowerCase() === size.toLowerCase());
  if (listed !== undefined) return listed;
  if (width !== undefined && fits(Number(width), Number(height), rule)) return size;
  throw invalid(param, `'${param}' must be ${describe(rule, times)}.`);
}

function fits(width: number, height: number, { oneOf, sides, area }: SizeRule): boolean {
  if (sides !== undefined) return isWithin(width, sides) && isWithin(height, sides);
  if (area !== undefined) return isWithin(width * height, area);
  return oneOf === undefined;
}

function isWithin(value: number, { min, max }: Range): boolean {
  return value >= min && value <= max;
}

function describe({ oneOf = [], sides, area }: SizeRule, times: string): string {
  const form = `width${times}height`;
  const free = [
    ...(sides === undefined ? [] : [`${form} with sides of ${sides.min} to ${sides.max} pixels`]),
    ...(area === undefined ? [] : [`${form} with ${area.min} to ${area.max} pixels in all`]),
  ];
  const allowed = [...oneOf, ...free];
  if (allowed.length === 0) return form;
  return allowed.length === 1 ? allowed.join("") : `one of ${allowed.join(", ")}`;
}

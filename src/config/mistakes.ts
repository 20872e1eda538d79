/** The source of a setting: an environment variable, or a position in the file. */
export type Place = VariablePlace | FilePlace;

export interface VariablePlace {
  readonly variable: string;
}

export interface FilePlace {
  readonly file: string;
  /** Absent for the file as a whole. */
  readonly position?: { readonly line: number; readonly column: number };
  /** Such as `channels[0].provider`; empty for the top level. */
  readonly path: string;
}

/** Records a mistake and continues, so that all mistakes are reported together. */
export type Report = (place: Place, why: string) => void;

export interface Mistake {
  readonly place: Place;
  readonly why: string;
}

const MAX_LISTED = 100;

/** All mistakes of a configuration, one per line, without secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly Mistake[]) {
    const lines = mistakes
      .toSorted((a, b) => rank(a.place) - rank(b.place))
      .map(({ place, why }) => `${describePlace(place)}: ${why}`);
    super(summary(lines));
    this.mistakes = lines;
  }
}

/** `SLUICE_PORT`, or `sluice.yaml:12:9 channels[0].provider`. */
export function describePlace(place: Place): string {
  if ("variable" in place) return place.variable;
  return place.path === "" ? describeSpot(place) : `${describeSpot(place)} ${place.path}`;
}

/** The same without the path in the file. */
export function describeSpot(place: Place): string {
  if ("variable" in place) return place.variable;
  const { file, position } = place;
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** Quotes text from the operator for a message: shortened, and safe for terminals. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return JSON.stringify(short).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`,
  );
}

function summary(lines: readonly string[]): string {
  const more = lines.length - MAX_LISTED;
  const listed = lines.slice(0, MAX_LISTED).map((line) => `  ${line}`);
  if (more > 0) listed.push(`  and ${more} more.`);
  const count = lines.length === 1 ? "a mistake" : `${lines.length} mistakes`;
  return `The configuration has ${count}:\n${listed.join("\n")}`;
}

/** Variables first, then by position in the file. */
function rank(place: Place): number {
  if ("variable" in place || place.position === undefined) return 0;
  return place.position.line * 2 ** 21 + place.position.column;
}

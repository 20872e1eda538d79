export interface ToolName {
  readonly name: string;
  readonly kind: "function" | "custom";
}

/**
 * Other styles allow dots, colons and more in the names of tools, which many
 * servers of this one refuse: `a.b` goes out as `a_x2e_b`. An answer is read
 * without its question, so the name alone must say what it was.
 */
export function fitName(name: string): string {
  return withoutMark(name.replaceAll(/[^A-Za-z0-9_-]|_(?=x[0-9a-f]{2,6})/gu, escaped));
}

/** For a tool of free text where a function stands in for it. */
export function standInName(name: string): string {
  return fitName(name) + TEXT_MARK;
}

/** A name that is sent as it is, unless it would be read as another. */
export function ownName(name: string): string {
  return withoutMark(name.replaceAll(/_(?=x[0-9a-f]{2,6}_)/g, escaped));
}

export function readName(written: string): ToolName {
  const isText = written.endsWith(TEXT_MARK);
  const name = isText ? written.slice(0, -TEXT_MARK.length) : written;
  return { name: name.replaceAll(ESCAPE, unescaped), kind: isText ? "custom" : "function" };
}

const TEXT_MARK = "_xtext_";
const ESCAPE = /_x([0-9a-f]{2,6})_/g;

function escaped(sign: string): string {
  return `_x${sign.codePointAt(0)?.toString(16).padStart(2, "0")}_`;
}

function unescaped(whole: string, code: string): string {
  const sign = Number.parseInt(code, 16);
  return sign > 0x10ffff ? whole : String.fromCodePoint(sign);
}

/** A function may happen to be called so. */
function withoutMark(name: string): string {
  return name.endsWith(TEXT_MARK) ? name.slice(0, -1) + escaped("_") : name;
}

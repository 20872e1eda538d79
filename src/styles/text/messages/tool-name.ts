import { refuse } from "#core/lossy.ts";

/** What vendors take: letters, digits, `_` and `-`. */
const MAX_LENGTH = 128;
const UNFIT = /[^A-Za-z0-9_-]|_(?=x[0-9a-f]{2,4})/g;
const ESCAPE = /_x([0-9a-f]{2,4})_/g;
/** Ends the name of a tool whose input is free text: answers are read without their question. */
const TEXT_MARK = "_xtext_";

export type ToolKind = "function" | "custom";

/** A name that vendors take and that `readToolName` takes apart again, whatever the name is. */
export function writeToolName(name: string, kind: ToolKind, path: string): string {
  const escaped = name.replaceAll(UNFIT, (unit) => `_x${hex(unit)}_`);
  const marked = kind === "custom" ? escaped + TEXT_MARK : withoutMark(escaped);
  if (marked.length <= MAX_LENGTH) return marked;
  throw refuse(path, `the name of a tool has at most ${MAX_LENGTH} characters.`);
}

export function readToolName(written: string): { readonly name: string; readonly kind: ToolKind } {
  const isText = written.endsWith(TEXT_MARK);
  const escaped = isText ? written.slice(0, -TEXT_MARK.length) : written;
  const name = escaped.replaceAll(ESCAPE, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );
  return { name, kind: isText ? "custom" : "function" };
}

/** A function may happen to be called so. */
function withoutMark(escaped: string): string {
  return escaped.endsWith(TEXT_MARK) ? `${escaped.slice(0, -1)}_x${hex("_")}_` : escaped;
}

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(2, "0");
}

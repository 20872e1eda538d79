import { Buffer } from "node:buffer";

/**
 * Servers of this style take names that begin with a letter or underscore and
 * hold letters, digits, `_`, `.` and `-`, up to 128 of them. Other names go
 * out escaped, and come back as they were without anything having to be kept.
 */
export function writeToolName(name: string, kind: "function" | "custom"): string {
  const fitting = fits(name) && !isMarked(name) ? name : ESCAPED + escape(name);
  return kind === "custom" ? fitting + CUSTOM : fitting;
}

export function readToolName(written: string): { name: string; kind: "function" | "custom" } {
  const isCustom = written.endsWith(CUSTOM);
  const name = isCustom ? written.slice(0, -CUSTOM.length) : written;
  return {
    name: name.startsWith(ESCAPED) ? unescape(name.slice(ESCAPED.length)) : name,
    kind: isCustom ? "custom" : "function",
  };
}

export const MAX_TOOL_NAME = 128;

const ESCAPED = "_.";
/** A tool that takes free text, which this style does not know. */
const CUSTOM = ".-text";

function fits(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name);
}

function isMarked(name: string): boolean {
  return name.startsWith(ESCAPED) || name.endsWith(CUSTOM);
}

/** Every byte that does not fit, and the dot that marks them. */
function escape(name: string): string {
  return [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(character) ? character : `.${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

function unescape(escaped: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length; at++) {
    const hex = escaped[at] === "." ? escaped.slice(at + 1, at + 3) : "";
    if (/^[0-9a-f]{2}$/.test(hex)) {
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    } else bytes.push(escaped.charCodeAt(at));
  }
  return Buffer.from(bytes).toString();
}

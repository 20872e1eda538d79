import { Buffer } from "node:buffer";
import type { ModelTraits } from "#core/model.ts";
import { MAX_TOOL_NAME, shortened } from "#styles/text/tool-names.ts";

/**
 * Servers of this style take names that begin with a letter or underscore and
 * hold letters, digits, `_`, `.` and `-`, up to 64 or 128 of them. Other names go
 * out escaped, and come back as they were without anything having to be kept;
 * those that are too long are shortened.
 */
export function writeToolName(name: string, kind: "function" | "custom"): string {
  const fitting = fits(name) && !isMarked(name) ? name : ESCAPED + escape(name);
  return kind === "custom" ? fitting + CUSTOM : fitting;
}

/** A written name that is longer than a model takes, shortened. */
export function shortToolName(written: string, max: number): string {
  if (written.length <= max) return written;
  const { name, kind } = readToolName(written);
  const mark = kind === "custom" ? CUSTOM : "";
  return shortened(name, max - mark.length) + mark;
}

/** How long a name may be for a model. */
export function maxToolName({ rules }: ModelTraits): number {
  return rules?.maxToolNameLength ?? MAX_TOOL_NAME;
}

export function readToolName(written: string): { name: string; kind: "function" | "custom" } {
  const isCustom = written.endsWith(CUSTOM);
  const name = isCustom ? written.slice(0, -CUSTOM.length) : written;
  return {
    name: name.startsWith(ESCAPED) ? unescape(name.slice(ESCAPED.length)) : name,
    kind: isCustom ? "custom" : "function",
  };
}

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

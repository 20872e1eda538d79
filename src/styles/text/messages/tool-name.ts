import { refuse } from "#core/lossy.ts";
import { fitName, readName, standInName, type ToolName } from "#styles/text/tool-names.ts";

/** Vendors take letters, digits, `_` and `-`, and no more of them. */
const MAX_LENGTH = 128;

export type ToolKind = ToolName["kind"];

/** A name that vendors take and that `readToolName` takes apart again, whatever the name is. */
export function writeToolName(name: string, kind: ToolKind, path: string): string {
  const written = kind === "custom" ? standInName(name) : fitName(name);
  if (written.length <= MAX_LENGTH) return written;
  throw refuse(path, `the name of a tool has at most ${MAX_LENGTH} characters.`);
}

export const readToolName: (written: string) => ToolName = readName;

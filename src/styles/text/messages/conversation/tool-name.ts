import { fitName, readName, standInName, type ToolName } from "#styles/text/tool-names.ts";

/** Vendors take letters, digits, `_` and `-`, and no more of them. */
export const MAX_LENGTH = 128;

export type ToolKind = ToolName["kind"];

/** A name that vendors take and that `readToolName` takes apart again, unless it had to be shortened. */
export function writeToolName(name: string, kind: ToolKind, max = MAX_LENGTH): string {
  return kind === "custom" ? standInName(name, max) : fitName(name, max);
}

export const readToolName: (written: string) => ToolName = readName;

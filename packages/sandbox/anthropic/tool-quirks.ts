import { UnknownFault, type Faults } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";
import type { Draft } from "./drafts.ts";

/** Not every oddity of other vendors can be written in this vendor's words. */
export function checkQuirk({ toolquirks }: Faults): void {
  const style = toolquirks?.style;
  if (style === undefined || STYLES.has(style)) return;
  throw new UnknownFault(
    `The fault toolquirks has no style ${style} here; it has: ${[...STYLES].join(", ")}.`,
  );
}

const STYLES: ReadonlySet<string> = new Set([
  "emptyid",
  "nullid",
  "noindex",
  "sameindex",
  "nullarguments",
  "object",
  "whole",
  "stop",
]);

/** The block of a call, whole or as it opens, as servers who imitate the vendor are known to write it. */
export function quirkyCall(block: JsonObject, { toolquirks }: Faults): JsonObject {
  switch (toolquirks?.style) {
    case "emptyid":
      return { ...block, id: "" };
    case "nullid":
      return { ...block, id: null };
    case "nullarguments":
      return { ...block, input: null };
    default:
      return block;
  }
}

/** Which block an event of a call is about. */
export function quirkyIndex(index: number, draft: Draft, { toolquirks }: Faults): JsonObject {
  if (draft.kind !== "call") return { index };
  if (toolquirks?.style === "noindex") return {};
  return { index: toolquirks?.style === "sameindex" ? 0 : index };
}

/** Whether the input stands in the block's opening, and nothing follows. */
export function isInputWhole({ toolquirks }: Faults): boolean {
  return toolquirks?.style === "whole" || toolquirks?.style === "object";
}

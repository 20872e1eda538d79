import type { Block } from "./blocks.ts";
import { readCacheControl } from "./cache-control.ts";
import { readTextBlock } from "./text-blocks.ts";
import { invalid } from "./error.ts";
import { inside, readList, readTagged, type FieldValue } from "./fields.ts";

/** The system prompt, which is a text or a list of texts. */
export function readSystem(at: FieldValue): readonly Block[] {
  if (at.value === undefined || at.value === "") return [];
  if (typeof at.value === "string")
    return [textBlock(at.value, at.path, undefined, { type: "text", text: at.value })];
  return (readList(at) ?? []).map((value, index) => {
    const path = inside(at.path, index);
    const { object, path: inner } = readTagged({ path, value }, ["text"]);
    const text = readTextBlock(object, inner);
    if (text === "") throw invalid("system", "text content blocks must be non-empty");
    return textBlock(text, path, readCacheControl(object, inner), object);
  });
}

function textBlock(text: string, path: string, cache: Block["cache"], raw: Block["raw"]): Block {
  return { kind: "text", text, path, cache, raw };
}

import type { OutboundContext } from "#core/style.ts";
import { numberOf } from "#lib/values.ts";
import type { BodyEditor } from "./body-editor.ts";

/**
 * Lowers a limit on the output that the model refuses because it is above its own. Output is part
 * of the context, so a model whose limit is unknown takes no more than that.
 */
export function fitLimit(
  editor: BodyEditor,
  names: readonly string[],
  { model }: OutboundContext,
): void {
  const most = model.maxOutputTokens ?? model.contextTokens;
  if (most === undefined) return;
  for (const name of names) {
    if ((numberOf(editor.get(name)) ?? 0) <= most) continue;
    editor.set(name, most, "max_tokens");
  }
}

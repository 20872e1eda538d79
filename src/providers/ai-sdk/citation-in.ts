import type { Citation } from "#core/chat.ts";
import { defined } from "#lib/values.ts";
import { membersOf, textIn } from "./unknown.ts";

/** Undefined for what cites a place in a document of the request, which has no address. */
export function readCitation(said: unknown): Citation | undefined {
  const { source, startIndex, endIndex } = membersOf(said);
  const url = textIn(source, "url");
  if (url === undefined) return undefined;
  return {
    url,
    ...defined({
      title: textIn(source, "title"),
      quote: textIn(said, "citedText"),
      start: typeof startIndex === "number" ? startIndex : undefined,
      end: typeof endIndex === "number" ? endIndex : undefined,
    }),
  };
}

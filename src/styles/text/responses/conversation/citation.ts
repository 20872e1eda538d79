import type { Citation } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, textOf } from "#lib/values.ts";

/** `undefined` for what cites no page: a file, say, which only its vendor keeps. */
export function parseCitation(annotation: Json): Citation | undefined {
  const url = textOf(memberOf(annotation, "url"));
  if (url === undefined || memberOf(annotation, "type") !== "url_citation") return undefined;
  return {
    url,
    ...defined({
      title: textOf(memberOf(annotation, "title")),
      start: integerOf(memberOf(annotation, "start_index")),
      end: integerOf(memberOf(annotation, "end_index")),
    }),
  };
}

/** Flat here, where chat completions nest it. */
export function buildCitation({ url, title, start, end }: Citation): JsonObject {
  return {
    type: "url_citation",
    start_index: start ?? 0,
    end_index: end ?? 0,
    url,
    title: title ?? "",
  };
}

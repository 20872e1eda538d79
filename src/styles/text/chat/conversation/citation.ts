import type { Citation } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, textOf } from "#lib/values.ts";

export function parseCitation(annotation: Json): Citation | undefined {
  const cited = memberOf(annotation, "url_citation");
  const url = textOf(memberOf(cited, "url"));
  if (url === undefined) return undefined;
  return {
    url,
    ...defined({
      title: textOf(memberOf(cited, "title")),
      quote: textOf(memberOf(cited, "content")) || undefined,
      start: integerOf(memberOf(cited, "start_index")),
      end: integerOf(memberOf(cited, "end_index")),
    }),
  };
}

/** Counted from where its block begins, as the hub has it; a place in an earlier block is none in this one. */
export function inBlock({ start, end, ...citation }: Citation, blockStart: number): Citation {
  if (blockStart > (start ?? end ?? blockStart)) return citation;
  return {
    ...citation,
    ...(start === undefined ? {} : { start: start - blockStart }),
    ...(end === undefined ? {} : { end: Math.max(0, end - blockStart) }),
  };
}

/**
 * `offset`: where the block's text begins in the content, which this style
 * counts in; `length`: of the text that a citation without a place is about.
 */
export function buildCitation(
  { url, title, quote, start, end }: Citation,
  offset: number,
  length: number,
): JsonObject {
  return {
    type: "url_citation",
    url_citation: {
      start_index: offset + (start ?? 0),
      end_index: offset + (end ?? (start === undefined ? length : start)),
      url,
      title: title ?? "",
      ...defined({ content: quote }),
    },
  };
}

/** Two vendors name their sources beside the answer instead of in it. */
export function parseSources(body: JsonObject): readonly Citation[] {
  if (body["citations"] === undefined) return NO_SOURCES;
  const results = listOf(body["search_results"]);
  const titles = new Map(
    results.map((one) => [textOf(memberOf(one, "url")), textOf(memberOf(one, "title"))]),
  );
  const urls = listOf(body["citations"]).filter((one) => typeof one === "string");
  return urls.map((url) => ({ url, ...defined({ title: titles.get(url) }) }));
}

const NO_SOURCES: readonly Citation[] = [];

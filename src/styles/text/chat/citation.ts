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
      start: integerOf(memberOf(cited, "start_index")),
      end: integerOf(memberOf(cited, "end_index")),
    }),
  };
}

export function buildCitation({ url, title, start, end }: Citation): JsonObject {
  return {
    type: "url_citation",
    url_citation: { start_index: start ?? 0, end_index: end ?? 0, url, title: title ?? "" },
  };
}

/** Two vendors name their sources beside the answer instead of in it. */
export function parseSources(body: JsonObject): readonly Citation[] {
  const results = listOf(body["search_results"]);
  const titles = new Map(
    results.map((one) => [textOf(memberOf(one, "url")), textOf(memberOf(one, "title"))]),
  );
  const urls = listOf(body["citations"]).filter((one) => typeof one === "string");
  return urls.map((url) => ({ url, ...defined({ title: titles.get(url) }) }));
}

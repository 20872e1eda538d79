import type { Citation } from "#core/chat.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { defined, memberOf, objectOf, textOf } from "#lib/values.ts";
import { MESSAGES } from "../raw-fields.ts";

/** `undefined` for what cites no page but a place in a document of the request. */
export function parseCitation(wire: Json): Citation | undefined {
  const url = addressOf(wire);
  if (url === undefined) return undefined;
  return {
    url,
    ...defined({
      title: textOf(memberOf(wire, "title")),
      quote: textOf(memberOf(wire, "cited_text")),
    }),
    extra: { [MESSAGES]: { citation: wire } },
  };
}

/** A search of the caller's own names its source as it likes, most often by address. */
function addressOf(wire: Json): string | undefined {
  if (memberOf(wire, "type") === "web_search_result_location") return textOf(memberOf(wire, "url"));
  const source = textOf(memberOf(wire, "source"));
  return source?.startsWith("http") === true ? source : undefined;
}

/** For a caller, who is shown another style's source in the form that has an address. */
export function buildCitation({ url, title, quote, extra }: Citation): JsonObject {
  return (
    writtenCitation({ extra }) ?? {
      type: "web_search_result_location",
      url,
      title: title ?? "",
      encrypted_index: EMPTY,
      cited_text: quote ?? "",
    }
  );
}

/** As a vendor of this style wrote it, with what only the vendor can read. */
export function writtenCitation({
  extra,
}: {
  readonly extra?: Citation["extra"] | undefined;
}): JsonObject | undefined {
  return objectOf(extra?.[MESSAGES]?.["citation"]);
}

/** Where vendors have what only they can read; who has nothing there is refused. */
const EMPTY = "";

/** A block without the sources that no vendor of this style named; itself where there are none. */
export function withVendorCitations(block: JsonObject): JsonObject {
  const { citations, ...rest } = block;
  if (!isArray(citations) || !citations.some(isLent)) return block;
  const own = citations.filter((one) => !isLent(one));
  return own.length === 0 ? rest : { ...rest, citations: own };
}

function isLent(citation: Json): boolean {
  return memberOf(citation, "encrypted_index") === EMPTY;
}

import {
  field,
  inside,
  readInteger,
  readList,
  readTagged,
  readText,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import { invalid } from "./error.ts";
import { isSeal } from "./seal.ts";

/** The citations of an answer that comes back with the conversation. */
export function readCitations(at: FieldValue): void {
  for (const [index, value] of (readList(at) ?? []).entries()) {
    const { object, tag, path } = readTagged({ path: inside(at.path, index), value }, [
      "char_location",
      "content_block_location",
      "page_location",
      "search_result_location",
      "web_search_result_location",
    ]);
    const places = PLACES[tag];
    const texts =
      tag === "web_search_result_location"
        ? ["url", "encrypted_index"]
        : tag === "search_result_location"
          ? ["source"]
          : [];
    refuseExtras(
      object,
      [
        "type",
        "cited_text",
        "title",
        "document_title",
        "document_index",
        "file_id",
        ...places,
        ...texts,
      ],
      path,
    );
    const cited = required(field(object, "cited_text", path), readText);
    for (const place of places)
      required(field(object, place, path), (each) => readInteger(each, 0));
    for (const name of texts) required(field(object, name, path), readText);
    if (tag !== "web_search_result_location") continue;
    const shown = `${required(field(object, "url", path), readText)}\n${cited}`;
    const token = required(field(object, "encrypted_index", path), readText);
    if (!isSeal(token, { kind: "citation", owner: "", shown }))
      throw invalid(path, "Invalid `encrypted_index` in citation");
  }
}

const PLACES = {
  char_location: ["start_char_index", "end_char_index"],
  content_block_location: ["start_block_index", "end_block_index"],
  page_location: ["start_page_number", "end_page_number"],
  search_result_location: ["search_result_index", "start_block_index", "end_block_index"],
  web_search_result_location: [],
} as const;

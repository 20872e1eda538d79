import type { JsonObject } from "../json.ts";
import type { Document } from "./blocks.ts";
import type { Turn } from "./messages.ts";
import type { Finding } from "./server-tools.ts";

/** The first sentence of every document that may be quoted, and where it stands. */
export function quoteDocuments(turns: readonly Turn[]): readonly Finding[] {
  const blocks = turns.flatMap((turn) => turn.blocks);
  const documents = blocks.flatMap((block) => (block.kind === "document" ? [block.document] : []));
  const results = blocks.flatMap((block) =>
    block.kind === "search_result" ? [block.document] : [],
  );
  const asked = turns.at(-1)?.blocks ?? [];
  const isAsked = (document: Document) =>
    document.isCited &&
    asked.some(
      (block) =>
        (block.kind === "document" || block.kind === "search_result") &&
        block.document === document,
    );
  return [...documents, ...results].filter(isAsked).flatMap((document) => {
    const index = (documents.includes(document) ? documents : results).indexOf(document);
    const quoted = quote(document, index);
    return quoted === undefined ? [] : [quoted];
  });
}

function quote({ content, title }: Document, index: number): Finding | undefined {
  const place = { document_index: index, document_title: title };
  switch (content.kind) {
    case "text": {
      const cited = firstSentence(content.text);
      return finding(cited, "char_location", {
        ...place,
        start_char_index: 0,
        end_char_index: cited.length,
      });
    }
    case "blocks": {
      const at = content.texts.findIndex((text) => text.trim() !== "");
      if (at < 0) return undefined;
      return finding(content.texts[at] ?? "", "content_block_location", {
        ...place,
        start_block_index: at,
        end_block_index: at + 1,
      });
    }
    case "search_result": {
      const [first] = content.texts;
      if (first === undefined) return undefined;
      return finding(first, "search_result_location", {
        source: content.source,
        title,
        search_result_index: index,
        start_block_index: 0,
        end_block_index: 1,
      });
    }
    case "opaque":
      return undefined;
  }
}

function finding(cited: string, type: string, place: JsonObject): Finding {
  return { text: cited.trim(), citation: { type, cited_text: cited, ...place } };
}

/** With the blank behind it, as the vendor cuts them. */
function firstSentence(text: string): string {
  return text.match(/^[^]*?[.!?](?:\s|$)/)?.[0] ?? text;
}

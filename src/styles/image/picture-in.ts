import { invalid } from "#core/error.ts";
import type { Picture } from "#core/image.ts";

const DATA_URI = /^data:([^;,]*)((?:;[^;,]*)*),/i;
/** Longer than any head of a data URI that is meant as one. */
const HEAD_CHARS = 512;

/** Longer than the name of any store. */
const SCHEME_CHARS = 32;

/**
 * A picture as callers write it: a link, a data URI, bare base64, or a link
 * into its vendor's own store. What it is will be told by its content.
 */
export function readPicture(text: string, param: string): Picture {
  if (/^https?:\/\//i.test(text.slice(0, 8))) return { kind: "url", url: text };
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text.slice(0, SCHEME_CHARS)))
    return { kind: "reference", id: text };
  if (!/^data:/i.test(text.slice(0, 5))) return { kind: "base64", base64: text, mediaType: "" };
  const head = DATA_URI.exec(text.slice(0, HEAD_CHARS));
  if (head === null || !/;base64$/i.test(head[2] ?? "")) {
    throw invalid(param, `'${param}' holds a data URI that is not in base64.`);
  }
  return {
    kind: "base64",
    base64: text.slice(head[0].length),
    mediaType: (head[1] ?? "").toLowerCase(),
  };
}

import { invalid } from "#core/error.ts";
import type { Base64, Picture } from "#core/image.ts";

const DATA_URI = /^data:([^;,]*)((?:;[^;,]*)*),/i;
/** Longer than any valid head of a data URI. */
const HEAD_CHARS = 512;

/** Longer than the name of any storage. */
const SCHEME_CHARS = 32;

/**
 * An image as clients write it: a link, a data URI, bare base64, or a link into a vendor's own
 * storage. Its content decides the media type.
 */
export function readPicture(text: Base64, param: string): Picture {
  if (typeof text !== "string") {
    const mediaType = text.head === "" ? "" : mediaTypeIn(text.head, param).mediaType;
    return { kind: "base64", base64: text.behind(""), mediaType };
  }
  if (/^https?:\/\//i.test(text.slice(0, 8))) return { kind: "url", url: text };
  if (/^file:/i.test(text.slice(0, 5))) {
    const wanted = "an http(s) URL, a data URI or base64";
    throw invalid(param, `'${param}' must be ${wanted}: the gateway cannot read local files.`);
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text.slice(0, SCHEME_CHARS)))
    return { kind: "reference", id: text };
  if (!/^data:/i.test(text.slice(0, 5))) return { kind: "base64", base64: text, mediaType: "" };
  const { head, mediaType } = mediaTypeIn(text.slice(0, HEAD_CHARS), param);
  return { kind: "base64", base64: text.slice(head.length), mediaType };
}

function mediaTypeIn(uri: string, param: string): { head: string; mediaType: string } {
  const [head = "", mediaType = "", parameters = ""] = DATA_URI.exec(uri) ?? [];
  if (/;base64$/i.test(parameters)) return { head, mediaType: mediaType.toLowerCase() };
  throw invalid(param, `'${param}' holds a data URI that is not in base64.`);
}

import { asksForSearch, searchWeb, type WebPage } from "../engine/web-search.ts";
import type { JsonObject } from "../json.ts";
import type { ToolSettings } from "./tools.ts";

/** Where the answer has its knowledge from: the web or the pages that the user names. */
export function ground(
  { searches, readsUrls }: ToolSettings,
  asked: string,
  text: string,
): { readonly groundingMetadata?: JsonObject; readonly urlContextMetadata?: JsonObject } {
  const urls = readsUrls ? [...new Set(asked.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [])] : [];
  const search = searches && asksForSearch(asked) ? searchWeb(asked) : undefined;
  const named = urls.map((url) => ({ title: hostOf(url), url }));
  const pages = [...(search?.pages.map(redirected) ?? []), ...named];
  if (pages.length === 0 || text === "") return {};

  return {
    groundingMetadata: {
      ...(search === undefined
        ? {}
        : { searchEntryPoint: { renderedContent: suggestionsPage(search.query) } }),
      groundingChunks: pages.map(({ title, url }) => ({ web: { uri: url, title } })),
      groundingSupports: supports(text, pages.length),
      ...(search === undefined ? {} : { webSearchQueries: [search.query] }),
    },
    ...(urls.length === 0
      ? {}
      : {
          urlContextMetadata: {
            urlMetadata: urls.map((retrievedUrl) => ({
              retrievedUrl,
              urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS",
            })),
          },
        }),
  };
}

/** Content that the vendor requires to be shown with an answer from the web. */
export function suggestionsPage(query: string): string {
  const safe = query.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<div class="container">\n  <a class="chip" href="https://www.google.com/search?q=${encodeURIComponent(query)}">${safe}</a>\n</div>`;
}

/** Which sentence is borne out by which page. Places are counted in bytes, and a beginning of zero is left out. */
function supports(text: string, pages: number): readonly JsonObject[] {
  const found = [...text.matchAll(/[^\s.!?][^.!?\n]*[.!?]*/g)].slice(0, MAX_SUPPORTS);
  return found.map(({ 0: sentence, index }, at) => {
    const startIndex = Buffer.byteLength(text.slice(0, index));
    const endIndex = startIndex + Buffer.byteLength(sentence);
    return {
      segment: { ...(startIndex === 0 ? {} : { startIndex }), endIndex, text: sentence },
      groundingChunkIndices: [at % pages],
    };
  });
}

const MAX_SUPPORTS = 20;

/** The vendor names the site, and links to the page by way of itself. */
function redirected({ url }: WebPage): WebPage {
  const token = Buffer.from(url).toString("base64url");
  return {
    title: hostOf(url),
    url: `https://vertexaisearch.cloud.google.com/grounding-api-redirect/${token}`,
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}

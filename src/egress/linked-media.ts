import { GatewayError } from "#core/error.ts";
import type { FetchedMedia, MediaFetcher } from "#core/media.ts";
import { mediaTypeOf } from "#lib/media-type.ts";
import { concatPieces, Pieces } from "#lib/pieces.ts";
import { guardedFetch, type GuardedRequest } from "./guarded-fetch.ts";
import { ownLink } from "./upstream-link.ts";

export interface LinkRules {
  /** Non-public networks that links may lead to. */
  readonly allow: readonly string[];
  readonly ports: readonly number[];
  /** Maximum size of one file. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 3;

/** `rulesNow`: called for each link. */
export function openLinkedMedia(rulesNow: () => LinkRules): MediaFetcher {
  return {
    async follow(url, signal, upstream) {
      const rules = rulesNow();
      const isOwn = upstream !== undefined && URL.parse(url)?.origin === upstream.origin;
      const request = {
        allowHttp: true,
        ...(isOwn ? ownLink({ url: upstream }) : { ...rules, maxRedirects: MAX_REDIRECTS }),
        maxBytes: rules.maxBytes,
        totalTimeoutMs: rules.timeoutMs,
        headers: { accept: "*/*", "user-agent": "sluice" },
        signal,
      };
      try {
        return await fetched(url, request);
      } catch (cause) {
        // The link's server failed, not the call's upstream, so another channel would not help.
        const isItsServer = GatewayError.from(cause).fault.blame === "upstream";
        throw isItsServer ? useless("it could not be fetched", cause) : cause;
      }
    },
  };
}

async function fetched(url: string, request: GuardedRequest): Promise<FetchedMedia> {
  await using response = await guardedFetch(url, request);
  if (response.status !== 200) throw useless(`its server returned status ${response.status}`);
  const bytes = await concatPieces(new Pieces(await Array.fromAsync(response.body)));
  if (bytes.length === 0) throw useless("the file is empty");
  return { bytes, mediaType: typeOf(bytes, response.headers) };
}

function useless(why: string, cause?: unknown): GatewayError {
  const message = `A link in this request cannot be used: ${why}.`;
  return new GatewayError("invalid_request", message, { cause });
}

function typeOf(bytes: Uint8Array, headers: Headers): FetchedMedia["mediaType"] {
  // First bytes are more reliable than headers.
  const found = mediaTypeOf(bytes);
  if (found !== undefined) return found;
  const said = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return said === undefined || said === "" ? "application/octet-stream" : said;
}

import { Buffer } from "node:buffer";
import { GatewayError } from "#core/error.ts";
import type { FetchedMedia, MediaFetcher } from "#core/media.ts";
import { hostOf, portOf, type GuardRules } from "./guard.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { CLOSED } from "./reach.ts";

export interface LinkRules {
  /** Networks that may be reached although they are not public. */
  readonly allow: readonly string[];
  readonly ports: readonly number[];
  /** Of one medium. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 3;

/** `rulesNow`: asked for each link. */
export function openLinkedMedia(rulesNow: () => LinkRules): MediaFetcher {
  return {
    async follow(url, signal, upstream) {
      const rules = rulesNow();
      const isOwn = upstream !== undefined && URL.parse(url)?.origin === upstream.origin;
      await using response = await guardedFetch(url, {
        allowHttp: true,
        ...(isOwn ? ownLink(upstream) : { ...rules, maxRedirects: MAX_REDIRECTS }),
        maxBytes: rules.maxBytes,
        totalTimeoutMs: rules.timeoutMs,
        headers: { accept: "*/*", "user-agent": "sluice" },
        signal,
      });
      if (response.status !== 200) throw useless(`its server answered ${response.status}`);
      const pieces = await Array.fromAsync(response.body);
      const bytes = Buffer.concat(pieces);
      if (bytes.length === 0) throw useless("there is nothing behind it");
      return { base64: bytes.toString("base64"), mediaType: typeOf(bytes, response.headers) };
    },
  };
}

/** The operator named this upstream, so it is reached as its channel is; where it redirects to is nobody's word. */
function ownLink(upstream: URL): Pick<GuardRules, "allow" | "deny" | "names" | "ports"> {
  return {
    allow: ["0.0.0.0/0", "::/0"],
    deny: CLOSED,
    names: [hostOf(upstream)],
    ports: [portOf(upstream)],
  };
}

function useless(why: string): GatewayError {
  return new GatewayError("invalid_request", `A link in this request cannot be used: ${why}.`);
}

function typeOf(bytes: Buffer, headers: Headers): FetchedMedia["mediaType"] {
  const found = SIGNATURES.find(({ at = 0, sign }) =>
    bytes.subarray(at, at + sign.length).equals(sign),
  );
  if (found !== undefined) return found.mediaType;
  const said = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return said === undefined || said === "" ? "application/octet-stream" : said;
}

/** Headers lie more often than first bytes do. */
const SIGNATURES: readonly { mediaType: string; sign: Buffer; at?: number }[] = [
  { mediaType: "image/png", sign: Buffer.from("89504e470d0a1a0a", "hex") },
  { mediaType: "image/jpeg", sign: Buffer.from("ffd8ff", "hex") },
  { mediaType: "image/gif", sign: Buffer.from("GIF8") },
  { mediaType: "image/webp", sign: Buffer.from("WEBP"), at: 8 },
  { mediaType: "application/pdf", sign: Buffer.from("%PDF-") },
  { mediaType: "audio/wav", sign: Buffer.from("WAVE"), at: 8 },
  { mediaType: "audio/mpeg", sign: Buffer.from("ID3") },
  { mediaType: "audio/ogg", sign: Buffer.from("OggS") },
  { mediaType: "audio/flac", sign: Buffer.from("fLaC") },
  { mediaType: "video/mp4", sign: Buffer.from("ftyp"), at: 4 },
  { mediaType: "video/webm", sign: Buffer.from("1a45dfa3", "hex") },
];

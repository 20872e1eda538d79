import { GatewayError } from "#core/error.ts";
import { formatContentRange, parseByteRange, spanOf } from "#lib/byte-range.ts";
import { pushStream } from "#lib/push-stream.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { ASSET_CONTENT_PATH } from "#relay/assets/signed-urls.ts";
import { BYTES, FILE_ANSWER, type Answer } from "#http/answer.ts";
import type { AssetDeps } from "#http/deps/assets.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";

const HEADERS = {
  "cache-control": "private, max-age=3600",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "accept-ranges": "bytes",
};

const ASSET_FILE: Answer = {
  description: "The file.",
  content: { ...FILE_ANSWER.content, "audio/*": BYTES },
};

/** For vendors, who fetch what a task is made from: the link is all that they show. */
export const getAssetContent: Endpoint<Pick<AssetDeps, "assetFiles" | "assetLinks" | "limits">> = {
  operationId: "getAssetContent",
  tag: "Assets",
  answer: ASSET_FILE,
  method: "GET",
  path: `${ASSET_CONTENT_PATH}/:id`,
  access: "link",
  isFile: true,
  summary: "A file of the asset library, by a signed link. Accepts HEAD and one Range.",
  renderError: buildError,

  async handle(exchange, deps) {
    const { request } = exchange;
    const asset = await deps.assetLinks.find(exchange.param("id"), exchange.query);
    const file = asset?.file;
    if (asset === undefined || file === undefined) throw notThere();
    const { sizeBytes, mediaType, digest } = file;
    const isHead = request.method === "HEAD";
    // RFC 9110, 14.2: only a GET has ranges.
    const range = isHead ? undefined : parseByteRange(request.headers.get("range"));
    const span = range === undefined ? undefined : range !== "several" && spanOf(range, sizeBytes);
    if (span === false || (range !== undefined && span === undefined)) {
      exchange.announce({ "content-range": `bytes */${sizeBytes}` });
      throw new GatewayError("range_not_satisfiable", "The file has no such range.");
    }
    const { start, end } = span ?? { start: 0, end: sizeBytes };
    const headers = {
      ...HEADERS,
      "content-type": mediaType,
      "content-length": String(end - start),
      etag: `"${digest}"`,
      "x-request-id": exchange.id,
      ...(span === undefined ? {} : { "content-range": formatContentRange(span, sizeBytes) }),
    };
    if (isHead) return new Response(null, { headers });
    const bytes = await deps.assetFiles.open(asset, { start, end });
    if (bytes === undefined) throw notThere();
    exchange.setStall(deps.limits.callerStallMs);
    const body = bytes instanceof Blob ? bytes : sendOn(bytes, exchange);
    return new Response(body, { status: span === undefined ? 200 : 206, headers });
  },
};

function sendOn(bytes: AsyncIterable<Uint8Array>, { signal }: Exchange) {
  return pushStream(async (sink) => {
    try {
      for await (const piece of bytes) {
        if (signal.aborted) return "cut";
        await sink.write(piece);
      }
      return "end";
    } catch {
      // Cut the connection: otherwise the client takes half a file for a whole one.
      return "cut";
    }
  });
}

function notThere(): GatewayError {
  return new GatewayError("not_found", "This link is invalid or has expired.");
}

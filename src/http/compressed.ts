import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);
/** Less is sent in one or two packets anyway. */
const MIN_BYTES = 4 * 1024;
/** Not `gzip;q=0`, which refuses it. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;
/** Higher levels take several times as long for a few per cent. */
const LEVEL = 4;

/**
 * A JSON answer for a client that takes gzip: a page of the call log shrinks to a tenth, which
 * phones notice. Another site cannot learn from its size: browsers send the session cookie with
 * requests of the same site only.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const takesGzip = TAKES_GZIP.test(request.headers.get("accept-encoding") ?? "");
  if (!isJson || !takesGzip) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  if (body.length < MIN_BYTES) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  headers.append("vary", "accept-encoding");
  return new Response(await compress(body, { level: LEVEL }), { status, headers });
}

import { GatewayError } from "#core/error.ts";
import { guardedFetch, type GuardedRequest } from "./guarded-fetch.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 3;

/** Downloads the text behind a link from the operator; all link rules apply. */
export async function readDocument(
  url: string,
  rules: Pick<GuardedRequest, "allow" | "ports" | "ca" | "resolve">,
): Promise<string> {
  await using response = await guardedFetch(url, {
    ...rules,
    allowHttp: true,
    maxRedirects: MAX_REDIRECTS,
    maxBytes: MAX_BYTES,
    totalTimeoutMs: TIMEOUT_MS,
    headers: { accept: "application/json", "user-agent": "sluice" },
  });
  if (response.status !== 200) {
    throw new GatewayError("upstream_failed", `The server returned status ${response.status}.`);
  }
  return Buffer.concat(await Array.fromAsync(response.body)).toString("utf8");
}

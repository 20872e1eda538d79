/**
 * Whether a page of ours sent this, as the browser tells: `cross` is somebody
 * else's page, `unsaid` no browser, or one from before they told.
 */
export function originOf(request: Request): "same" | "cross" | "unsaid" {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? "same" : "cross";

  const origin = request.headers.get("origin");
  if (origin === null) return "unsaid";
  const host = request.headers.get("host");
  return host !== null && URL.parse(origin)?.host === host.toLowerCase() ? "same" : "cross";
}

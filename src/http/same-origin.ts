/**
 * Whether the gateway's own page sent this, by the browser's `Sec-Fetch-Site`. `cross`: another
 * site. `unsaid`: no browser, or an old one that does not send it.
 */
export function originOf(request: Request): "same" | "cross" | "unsaid" {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? "same" : "cross";

  const origin = request.headers.get("origin");
  if (origin === null) return "unsaid";
  const host = request.headers.get("host");
  return host !== null && URL.parse(origin)?.host === host.toLowerCase() ? "same" : "cross";
}

import type { InboundImageFormat } from "#core/image.ts";
import { generations } from "#styles/image/openai/index.ts";
import { gateway } from "#styles/image/gateway/index.ts";

/** How answers look to callers who do not say: `auto` goes by who they show themselves to be. */
export type ImageShape = "auto" | "envelope" | "openai";

/** User agents of clients that read the other shape. */
const CLIENTS = /\bai-sdk[-/]|langchain|openai|\bvolc-sdk-/i;
/** Headers that only such clients send. */
const OWN_HEADERS = /^(x-stainless-.*|openai-.*|api-key)$/;
/** go-openai shows itself by no more than its library's name, and what it accepts. */
const GO_LIBRARY = /^Go-http-client\//;

/**
 * The envelope fits none of the official clients of the other shape, so that
 * those who are known to be one get theirs.
 */
export function shapeFor(
  { headers }: Pick<Request, "headers">,
  shape: ImageShape,
): InboundImageFormat {
  const asked = headers.get("sluice-shape");
  if (asked === "openai") return generations;
  if (asked === "envelope" || shape === "envelope") return gateway;
  return shape === "openai" || isOfficialClient(headers) ? generations : gateway;
}

function isOfficialClient(headers: Headers): boolean {
  const agent = headers.get("user-agent");
  // Nor does async-openai send a user agent at all; browsers, tools and most libraries do.
  if (agent === null || agent === "" || CLIENTS.test(agent)) return true;
  if (GO_LIBRARY.test(agent) && headers.get("accept") === "application/json") return true;
  return [...headers.keys()].some((name) => OWN_HEADERS.test(name));
}

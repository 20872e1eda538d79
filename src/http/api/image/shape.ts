import type { InboundImageFormat } from "#core/image.ts";
import { generations } from "#styles/image/openai/index.ts";
import { gateway } from "#styles/image/gateway/index.ts";

/** The response shape if the request does not name one: `auto` chooses by the client's headers. */
export type ImageShape = "auto" | "envelope" | "openai";

/** User agents of clients that parse the OpenAI shape. */
const CLIENTS = /\bai-sdk[-/]|langchain|openai|\bvolc-sdk-/i;
/** Headers that only clients of the OpenAI shape send. */
const OWN_HEADERS = /^(x-stainless-.*|openai-.*|api-key)$/;
/**
 * go-openai can only be recognized by the user agent of Go's HTTP library and its `Accept` header.
 */
const GO_LIBRARY = /^Go-http-client\//;

/**
 * No official OpenAI client can parse the envelope, so recognized OpenAI clients get the OpenAI
 * shape.
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
  // async-openai sends no user agent either; browsers, tools and most libraries send one.
  if (agent === null || agent === "" || CLIENTS.test(agent)) return true;
  if (GO_LIBRARY.test(agent) && headers.get("accept") === "application/json") return true;
  return [...headers.keys()].some((name) => OWN_HEADERS.test(name));
}

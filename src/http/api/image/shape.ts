import type { InboundImageFormat } from "#core/image.ts";
import { generations } from "#styles/image/openai/index.ts";
import { gateway } from "#styles/image/gateway/index.ts";

/** How answers look to callers who do not say: `auto` goes by who they show themselves to be. */
export type ImageShape = "auto" | "envelope" | "openai";

const CLIENTS = /\bai-sdk\/|\blangchain/i;

/**
 * The envelope fits none of the official clients of the other shape, so that
 * those who are known to be one get theirs.
 */
export function shapeFor({ headers }: Request, shape: ImageShape): InboundImageFormat {
  const asked = headers.get("sluice-shape");
  if (asked === "openai") return generations;
  if (asked === "envelope" || shape === "envelope") return gateway;
  return shape === "openai" || isOfficialClient(headers) ? generations : gateway;
}

function isOfficialClient(headers: Headers): boolean {
  if (CLIENTS.test(headers.get("user-agent") ?? "")) return true;
  return [...headers.keys()].some((name) => name.startsWith("x-stainless-"));
}

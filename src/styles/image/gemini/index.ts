import type { OutboundImageFormat } from "#core/image.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parse } from "./answer.ts";
import { build } from "./outbound.ts";

/** Native content generation by image models: an image is one part of the response. */
export const generateContent: OutboundImageFormat = {
  id: "gemini-images",
  outbound: { knowsLong: true, build, parse, parseError },
};

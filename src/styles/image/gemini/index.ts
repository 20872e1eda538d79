import type { OutboundImageFormat } from "#core/image.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parse } from "./answer.ts";
import { build } from "./outbound.ts";

/** Native content generation by models that draw: a picture is one of the answer's parts. */
export const generateContent: OutboundImageFormat = {
  id: "gemini-images",
  outbound: { knowsLong: true, build, parse, parseError },
};

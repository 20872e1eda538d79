import type { OutboundImageFormat } from "#core/image.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parse } from "./answer.ts";
import { build } from "./outbound.ts";

/** Predictions, the API of the native vendor's older image models. */
export const predict: OutboundImageFormat = {
  id: "imagen",
  outbound: { knowsLong: true, build, parse, parseError },
};

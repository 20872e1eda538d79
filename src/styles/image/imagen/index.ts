import type { OutboundImageFormat } from "#core/image.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parse } from "./answer.ts";
import { build } from "./outbound.ts";

/** Predictions, which are how the native vendor's older models draw. */
export const predict: OutboundImageFormat = {
  id: "imagen",
  outbound: { knowsLong: true, build, parse, parseError },
};

import type { InboundVideoFormat } from "#core/video.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import { ID } from "./build.ts";
import { readPrediction } from "./read-prediction.ts";
import { writeOperation, writeSubmitted } from "./write-operation.ts";

/** Videos by long-running predictions, as clients of the native style request them. */
export const longPredictions: InboundVideoFormat = {
  id: ID,
  inbound: { read: readPrediction, writeSubmitted, writeTask: writeOperation, buildError },
};

import { estimateInputTokens } from "#core/count.ts";
import type { SharedAnswer, SharedFormat, SharedRequest } from "#core/shared-format.ts";
import type { RequestBody } from "#core/style.ts";
import { clampCount, NO_USAGE } from "#core/usage.ts";
import { isArray, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "../error.ts";
import { readRequest } from "../request/facts.ts";
import { errorIn } from "../failure.ts";
import { parseUsage } from "../usage.ts";

/** The item that stands for the part of a conversation that was made short. */
export const COMPACTION = "compaction";

/** A conversation made short by the vendor, who seals what is left of it. */
export const compactions: SharedFormat = {
  id: "compactions",
  inbound: { read, buildError },
  outbound: { parseError, errorIn },
  answersIn: () => "json",
  readAnswer,

  openTap() {
    throw noAnswer("is a stream that nobody asked for");
  },

  guess: ({ inputTokens }) => ({ ...NO_USAGE, inputTokens, isEstimated: true }),
};

/** Of what is reserved: no vendor says how long a compaction may be. */
const OUTPUT_TOKENS = 8_192;

function read(body: RequestBody): SharedRequest {
  const { json } = body;
  readRequest(json);
  return {
    model: textOf(json["model"]) ?? "",
    stream: false,
    body,
    // Earlier responses are kept here, and stand in the input already.
    edits: { previous_response_id: undefined, stream: undefined, store: undefined },
    inputTokens: clampCount(estimateInputTokens(json)),
    // Items of any kind: their estimate has more than texts.
    words: [],
    maxOutputTokens: OUTPUT_TOKENS,
    units: {},
  };
}

function readAnswer(answer: JsonObject | string): SharedAnswer {
  const { output, usage: wire } = typeof answer === "string" ? {} : answer;
  if (!isArray(output)) throw noAnswer("has no output");
  const usage = parseUsage(wire, output);
  return usage === undefined ? {} : { usage };
}

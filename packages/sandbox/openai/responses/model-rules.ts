import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readText, required } from "../fields.ts";
import { findModel, type Model } from "../models.ts";

/** Other than chat, this API calls an unknown model a wrong parameter. */
export function readModel(body: JsonObject): Model {
  const id = required(field(body, "model"), readText(field(body, "model")));
  const model = findModel(id);
  if (model === undefined) {
    throw new ApiError(400, {
      message: `The requested model '${id}' does not exist.`,
      param: "model",
      code: "model_not_found",
    });
  }
  if (model.speaks)
    throw invalid("model", null, `The model '${id}' cannot be used with the Responses API.`);
  checkSampling(body, model);
  return model;
}

/** A model that thinks samples in its own way. */
function checkSampling(body: JsonObject, model: Model): void {
  const { reasoning } = body;
  const asked =
    typeof reasoning === "object" && reasoning !== null && "effort" in reasoning
      ? reasoning.effort
      : undefined;
  if (!model.isStrict || (asked ?? model.usualEffort) === "none") return;
  for (const [name, allowed] of FIXED) {
    const { value } = field(body, name);
    if (value === undefined || value === allowed) continue;
    throw invalid(
      name,
      "unsupported_parameter",
      `Unsupported parameter: '${name}' is not supported with this model.`,
    );
  }
}

const FIXED: readonly (readonly [string, number])[] = [
  ["temperature", 1],
  ["top_p", 1],
  ["top_logprobs", 0],
];

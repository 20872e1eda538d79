import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { ModelTable, Retired } from "./route.ts";

const MAX_SHOWN_CHARS = 128;

/** A model that the key may not use is treated as unknown, and is never suggested. */
export function unknownModel(
  key: ApiKey,
  model: string,
  channels: Pick<ModelTable, "nearestTo" | "retiredFor">,
): GatewayError {
  const retired = channels.retiredFor(key, model);
  if (retired !== undefined) return retiredModel(model, retired);
  const nearest = channels.nearestTo(key, model);
  const hint = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  return new GatewayError(
    "model_not_found",
    `The model '${model.slice(0, MAX_SHOWN_CHARS)}' does not exist.${hint}`,
    { param: "model" },
  );
}

function retiredModel(model: string, { since, successor }: Retired): GatewayError {
  const hint =
    successor === undefined
      ? "No model that is served here does the same."
      : `The nearest model that is served here is '${successor}'.`;
  return new GatewayError(
    "model_not_found",
    `The vendor of '${model.slice(0, MAX_SHOWN_CHARS)}' stopped serving it on ${since}. ${hint}`,
    { param: "model" },
  );
}

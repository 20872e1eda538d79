import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { ModelTable } from "./route.ts";

const MAX_SHOWN_CHARS = 128;

/** A model that a key may not use looks like one that does not exist, and is suggested to nobody. */
export function unknownModel(
  key: ApiKey,
  model: string,
  channels: Pick<ModelTable, "nearestTo">,
): GatewayError {
  const nearest = channels.nearestTo(key, model);
  const hint = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  return new GatewayError(
    "model_not_found",
    `The model '${model.slice(0, MAX_SHOWN_CHARS)}' does not exist.${hint}`,
    { param: "model" },
  );
}

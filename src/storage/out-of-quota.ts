import { GatewayError } from "#core/error.ts";

export function outOfQuota(): GatewayError {
  return new GatewayError(
    "out_of_quota",
    "What this key may spend does not cover the call. Ask its owner for more, or ask for less.",
  );
}

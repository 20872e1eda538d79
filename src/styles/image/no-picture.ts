import { GatewayError } from "#core/error.ts";

export function noPicture(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream's answer has no image.");
}

import { GatewayError } from "#core/error.ts";

export function taken(name: string, cause: unknown): GatewayError {
  return new GatewayError(
    "invalid_request",
    `A key named ${JSON.stringify(name)}, or one with the same secret, already exists.`,
    { cause },
  );
}

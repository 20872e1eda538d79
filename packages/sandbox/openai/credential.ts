import { ApiError } from "./error.ts";

/** Any key will do unless keys were named; no key never does. Gives the key back. */
export function checkCredential(
  headers: Readonly<Record<string, string>>,
  apiKeys: readonly string[] | undefined,
): string {
  // The cloud that sells the same models has a header of its own for it.
  const key = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1] ?? headers["api-key"];
  if (key === undefined) {
    throw new ApiError(401, {
      message:
        "You didn't provide an API key. Send it in the Authorization header, as a Bearer token.",
    });
  }
  if (apiKeys !== undefined && !apiKeys.includes(key)) {
    throw new ApiError(401, {
      message: `Incorrect API key provided: ${masked(key)}.`,
      code: "invalid_api_key",
    });
  }
  return key;
}

function masked(key: string): string {
  return key.length < 12 ? "***" : `${key.slice(0, 4)}${"*".repeat(8)}${key.slice(-4)}`;
}

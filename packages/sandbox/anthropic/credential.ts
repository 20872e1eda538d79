import { ApiError } from "./error.ts";

/** The key that was presented. Any will do unless keys were named; no key never does. */
export function checkCredential(
  headers: Readonly<Record<string, string>>,
  apiKeys: readonly string[] | undefined,
): string {
  const key = headers["x-api-key"];
  const bearer = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
  const given = key ?? bearer;
  if (given === undefined || given === "")
    throw new ApiError(401, "authentication_error", "x-api-key header is required");
  if (apiKeys !== undefined && !apiKeys.includes(given)) {
    const message = key === undefined ? "Invalid bearer token" : "invalid x-api-key";
    throw new ApiError(401, "authentication_error", message);
  }
  return given;
}

import { ApiError, detail, invalid } from "./error.ts";

/**
 * A key in a header or in the query, or else a token as a Bearer. Any will do
 * unless keys were named. The vendor calls a wrong key a wrong argument. Gives
 * back what was shown.
 */
export function checkCredential(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
  apiKeys: readonly string[] | undefined,
): string {
  const key = headers["x-goog-api-key"] ?? query.get("key") ?? undefined;
  const token = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
  const isKnown = (secret: string) => secret !== "" && (apiKeys?.includes(secret) ?? true);

  if (key !== undefined) {
    if (isKnown(key)) return key;
    throw wrongKey();
  }
  if (token !== undefined) {
    if (isKnown(token)) return token;
    throw wrongToken();
  }
  throw new ApiError(
    403,
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  );
}

function wrongKey(): ApiError {
  const message = "API key not valid. Please pass a valid API key.";
  return invalid(message, [
    detail("ErrorInfo", {
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    }),
    detail("LocalizedMessage", { locale: "en-US", message }),
  ]);
}

function wrongToken(): ApiError {
  return new ApiError(
    401,
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
    [
      detail("ErrorInfo", {
        reason: "ACCESS_TOKEN_TYPE_UNSUPPORTED",
        domain: "googleapis.com",
        metadata: { service: "generativelanguage.googleapis.com" },
      }),
    ],
  );
}

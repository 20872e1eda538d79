import { isObject, parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { KeyPair } from "../key-pair.ts";

/** An API key for models, and optionally the access key pair that signs all other requests. */
interface ArkCredential {
  readonly apiKey: string;
  readonly pair?: KeyPair;
}

const PARTS = /^([^|\s]*)\|([^|\s]+)\|([^|\s]+)(?:\|([^|\s]+))?$/;

/**
 * `key|accessKey|secretKey`, optionally with a session token, or JSON: `api_key`, `access_key`,
 * `secret_key` and `session_token`. Any other text is an API key.
 */
export function readCredential(secret: string): ArkCredential {
  if (secret.startsWith("{")) return readJson(secret);
  const [, apiKey, accessKey, secretKey, sessionToken = ""] = PARTS.exec(secret) ?? [];
  return apiKey === undefined
    ? { apiKey: secret }
    : withPair(apiKey, accessKey ?? "", secretKey ?? "", sessionToken);
}

function readJson(secret: string): ArkCredential {
  const json = parseJson(secret);
  const given = isObject(json) ? json : {};
  const member = (name: string): string => textOf(given[name]) ?? "";
  return withPair(
    member("api_key"),
    member("access_key"),
    member("secret_key"),
    member("session_token"),
  );
}

function withPair(
  apiKey: string,
  accessKey: string,
  secretKey: string,
  sessionToken: string,
): ArkCredential {
  if (accessKey === "" || secretKey === "") return { apiKey };
  return {
    apiKey,
    pair: { accessKey, secretKey, ...(sessionToken === "" ? {} : { sessionToken }) },
  };
}

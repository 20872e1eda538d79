import { GatewayError } from "#core/error.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

/** A credential of two parts; the secret part signs requests and is never sent. */
export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Set for temporary credentials. */
  readonly sessionToken?: string;
}

const PAIR = /^([^|\s]+)\|([^|\s]+)(?:\|([^|\s]+))?$/;

/**
 * `accessKey|secretKey`, optionally followed by a session token, or the same as JSON; undefined for
 * a credential of another kind.
 */
export function keyPairIn(secret: string): KeyPair | undefined {
  if (secret.startsWith("{")) return pairInJson(secret);
  const [, accessKey, secretKey, sessionToken] = PAIR.exec(secret) ?? [];
  if (accessKey === undefined || secretKey === undefined) return undefined;
  return { accessKey, secretKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function pairInJson(secret: string): KeyPair {
  const json = parseJson(secret);
  const given = isObject(json) ? json : {};
  const accessKey = textOf(given["access_key"]) ?? "";
  const secretKey = textOf(given["secret_key"]) ?? "";
  const sessionToken = textOf(given["session_token"]) ?? "";
  if (accessKey === "" || secretKey === "") {
    throw new GatewayError(
      "upstream_auth",
      "The gateway's credential for this upstream is malformed.",
    );
  }
  return { accessKey, secretKey, ...(sessionToken === "" ? {} : { sessionToken }) };
}

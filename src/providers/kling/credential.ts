import { isObject, parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { keyPairIn, type KeyPair } from "../key-pair.ts";

/** An API key or an access key pair, optionally with the vendor's webhook secret. */
interface KlingCredential {
  readonly key: string | KeyPair;
  readonly noticeSecret?: string;
}

const SECRET_OF_NOTICES = /^(.+)\|(whsec_[^|\s]+)$/;

/**
 * The parts are joined, `...|whsec_...`, or in JSON: `api_key`, or `access_key` and `secret_key`,
 * and `webhook_secret`.
 */
export function readCredential(secret: string): KlingCredential {
  if (secret.startsWith("{")) return readJson(secret);
  const [, key = secret, noticeSecret] = SECRET_OF_NOTICES.exec(secret) ?? [];
  return withSecret(keyPairIn(key) ?? key, noticeSecret);
}

function readJson(secret: string): KlingCredential {
  const json = parseJson(secret);
  const given = isObject(json) ? json : {};
  const key = textOf(given["api_key"]) || keyPairIn(secret);
  return withSecret(key ?? secret, textOf(given["webhook_secret"]) || undefined);
}

function withSecret(key: string | KeyPair, noticeSecret: string | undefined): KlingCredential {
  return { key, ...(noticeSecret === undefined ? {} : { noticeSecret }) };
}

import { createHmac, randomUUID } from "node:crypto";
import type { CallbackMessage } from "../engine/callbacks.ts";
import type { Json } from "../json.ts";

/** A message under the account's own key: the headers are signed, the body is not. */
export function signedMessage(
  body: Json,
  key: string,
  url: string,
  now: () => number,
): CallbackMessage {
  return {
    body,
    headers() {
      const date = new Date(now()).toUTCString();
      const nonce = randomUUID();
      return {
        Date: date,
        "x-request-nonce": nonce,
        "X-HMAC-ACCESS-KEY": ACCESS_KEY,
        "X-HMAC-ALGORITHM": "hmac-sha256",
        "X-HMAC-SIGNED-HEADERS": "Date;x-request-nonce",
        "X-HMAC-SIGNATURE": callbackSignature(key, url, date, nonce),
      };
    },
  };
}

const ACCESS_KEY = "vidu";

export function callbackSignature(key: string, url: string, date: string, nonce: string): string {
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const lines = [
    "POST",
    pathname,
    query,
    ACCESS_KEY,
    date,
    `Date:${date}`,
    `x-request-nonce:${nonce}`,
  ];
  const text = lines.map((line) => `${line}\n`).join("");
  return createHmac("sha256", key).update(text).digest("base64");
}

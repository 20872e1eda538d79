import { createHmac, randomInt } from "node:crypto";
import type { CallbackMessage } from "../engine/callbacks.ts";
import type { Json } from "../json.ts";

/**
 * A message with the three headers of Standard Webhooks, one signature for each
 * secret; none of the headers where there is no secret.
 */
export function signedMessage(
  body: Json,
  secrets: readonly string[],
  now: () => number,
): CallbackMessage {
  // The same for every attempt: who has it already knows it again.
  const id = `${Math.floor(now())}${randomInt(100_000, 999_999)}`;
  return {
    body,
    headers(text) {
      if (secrets.length === 0) return {};
      const timestamp = String(Math.floor(now() / 1_000));
      return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": secrets
          .map((secret) => webhookSignature(secret, id, timestamp, text))
          .join(" "),
      };
    },
  };
}

export function webhookSignature(
  secret: string,
  id: string,
  timestamp: string,
  body: string,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
  return `v1,${signature.digest("base64")}`;
}

import { createHmac, timingSafeEqual } from "node:crypto";
import { isJsonObject, parseJson, type JsonObject } from "../json.ts";

/** A token in three parts, as it says it is: nothing of it is believed yet. */
export interface Jwt {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly isSignedWith: (secret: string) => boolean;
}

export function readJwt(token: string): Jwt | undefined {
  const parts = token.split(".");
  const [head = "", body = "", signature = ""] = parts;
  const header = decode(head);
  const payload = decode(body);
  if (parts.length !== 3 || header === undefined || payload === undefined) return undefined;
  return {
    header,
    payload,
    isSignedWith(secret) {
      const right = createHmac("sha256", secret).update(`${head}.${body}`).digest();
      const given = Buffer.from(signature, "base64url");
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

function decode(part: string): JsonObject | undefined {
  const value = parseJson(Buffer.from(part, "base64url").toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}

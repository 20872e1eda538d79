import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import type { Json, JsonObject } from "#lib/json.ts";
import { isObject } from "#lib/json.ts";
import { openSecretbox } from "#lib/secretbox.ts";

/** Opens values that LiteLLM stored encrypted. */
interface Opener {
  /** The value, opened if it is encrypted; undefined if it does not open. */
  open(value: string): string | undefined;
}

const GCM = /^v([23]):gcm:(.*)$/s;
const INFO = "litellm-at-rest-v3";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BASE64 = /^[A-Za-z0-9+/_-]{54,}={0,2}$/;

/**
 * The forms of `encrypt_decrypt_utils.py`: a box of NaCl in base64, or AES-256-GCM behind a marker.
 * The key is made of `LITELLM_SALT_KEY`, or else of the master key. Values of old versions may be
 * plain.
 */
export function openerOf(salts: readonly string[]): Opener {
  const keys = salts.map((salt) => ({
    sha256: createHash("sha256").update(salt).digest(),
    hkdf: Buffer.from(hkdfSync("sha256", salt, "", INFO, 32)),
  }));
  return {
    open(value) {
      const [, version, sealed] = GCM.exec(value) ?? [];
      for (const { sha256, hkdf } of keys) {
        const opened =
          sealed === undefined
            ? openBox(value, sha256)
            : openGcm(sealed, version === "3" ? hkdf : sha256);
        if (opened !== undefined) return opened;
      }
      return sealed !== undefined || BASE64.test(value) ? undefined : value;
    },
  };
}

/** The members of an object, opened; `failed` gets the names of members that do not open. */
export function openMembers(
  values: JsonObject,
  opener: Opener,
  failed: (name: string) => void,
): JsonObject {
  const opened: Record<string, Json> = {};
  for (const [name, value = null] of Object.entries(values)) {
    if (typeof value === "string") {
      const plain = opener.open(value);
      if (plain === undefined) failed(name);
      else opened[name] = plain;
    } else {
      opened[name] = isObject(value) ? openMembers(value, opener, failed) : value;
    }
  }
  return opened;
}

function openBox(value: string, key: Uint8Array): string | undefined {
  const plain = openSecretbox(Buffer.from(value, "base64"), key);
  return plain === undefined ? undefined : new TextDecoder().decode(plain);
}

function openGcm(sealed: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, cipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

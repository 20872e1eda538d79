import { Buffer } from "node:buffer";

/**
 * A vendor's opaque signature of its reasoning, or the encrypted reasoning.
 * Only its issuer can read it; other vendors refuse it.
 */
export interface Signature {
  /** Id of the style of the upstream that issued it. */
  readonly issuer: string;
  readonly value: string;
}

/** Base64, since some clients decode the value. */
const MARK = "sluice:";
const MARKED = Buffer.from(MARK).toString("base64").slice(0, 8);

/**
 * The value for a field of `style`: unchanged if that style issued it, else
 * prefixed with its issuer.
 */
export function writeSignature({ issuer, value }: Signature, style: string): string {
  if (issuer === style) return value;
  return Buffer.from(`${MARK}${issuer}:${value}`).toString("base64");
}

/** Reads the value of a field of `style` and detects its issuer. */
export function readSignature(text: string, style: string): Signature {
  if (!text.startsWith(MARKED)) return { issuer: style, value: text };
  const [mark, issuer = "", ...value] = Buffer.from(text, "base64").toString().split(":");
  return mark === "sluice" && value.length > 0
    ? { issuer, value: value.join(":") }
    : { issuer: style, value: text };
}

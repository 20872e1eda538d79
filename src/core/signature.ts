import { Buffer } from "node:buffer";

/**
 * A vendor's opaque proof of its reasoning, or that reasoning encrypted. Only
 * its issuer can read it, and refuses everybody else's.
 */
export interface Signature {
  /** Id of the style whose upstreams gave it. */
  readonly issuer: string;
  readonly value: string;
}

/** Base64, since some clients decode what they are given. */
const MARK = "sluice:";
const MARKED = Buffer.from(MARK).toString("base64").slice(0, 8);

/** For a member of `style`: as it came where that style issued it, else marked with its issuer. */
export function writeSignature({ issuer, value }: Signature, style: string): string {
  if (issuer === style) return value;
  return Buffer.from(`${MARK}${issuer}:${value}`).toString("base64");
}

/** Out of a member of `style`, whoever issued it. */
export function readSignature(text: string, style: string): Signature {
  if (!text.startsWith(MARKED)) return { issuer: style, value: text };
  const [mark, issuer = "", ...value] = Buffer.from(text, "base64").toString().split(":");
  return mark === "sluice" && value.length > 0
    ? { issuer, value: value.join(":") }
    : { issuer: style, value: text };
}

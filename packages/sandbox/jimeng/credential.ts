import { findPair } from "../key-pairs.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { gateRefusal } from "./error.ts";
import { isSame, sha256, signatureOf } from "./signature.ts";

/** Returns the access key that signed the request. */
export function checkSignature(
  { method, path, query, headers, bytes }: VendorRequest,
  { apiKeys, now }: Pick<VendorOptions, "apiKeys" | "now">,
): string {
  const header = headers["authorization"]?.trim() ?? "";
  if (header === "") throw gateRefusal("MissingAuthenticationToken");
  const [, accessKey = "", scope = "", names = "", signature = ""] = FORM.exec(header) ?? [];
  if (signature === "") throw gateRefusal("InvalidAuthorization");
  const signedHeaders = names.split(";");
  if (REQUIRED.some((name) => !signedHeaders.includes(name)))
    throw gateRefusal("InvalidAuthorization");

  const date = headers["x-date"] ?? "";
  const at = readDate(date);
  if (at === undefined || Math.abs(now() - at) > SKEW_MS) throw gateRefusal("InvalidTimestamp");
  if (scope !== `${date.slice(0, 8)}/${REGION}/${SERVICE}/request`)
    throw gateRefusal("InvalidCredential");
  const secret = findPair(accessKey, apiKeys)?.secret;
  if (secret === undefined) throw gateRefusal("InvalidAccessKey");

  const bodyHash = sha256(bytes);
  const signed = { method, query, headers, signedHeaders, bodyHash, date };
  // The vendor has no path, so one who knows only the vendor signs none; here there is a prefix.
  const isRight = [`/jimeng${path}`, path].some((each) =>
    isSame(
      signature,
      signatureOf(secret, { ...signed, path: each, region: REGION, service: SERVICE }),
    ),
  );
  if (!isRight || !isSame(headers["x-content-sha256"] ?? "", bodyHash))
    throw gateRefusal("SignatureDoesNotMatch");
  return accessKey;
}

export const REGION = "cn-north-1";
export const SERVICE = "cv";
const SKEW_MS = 15 * 60_000;
const REQUIRED = ["host", "x-content-sha256", "x-date"];

const FORM =
  /^HMAC-SHA256\s+Credential=([^/,\s]+)\/([^,\s]+),\s*SignedHeaders=([a-z\d;-]+),\s*Signature=([\da-f]{64})$/;

/** "20260101T120000Z" */
function readDate(date: string): number | undefined {
  const spread = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  const at = Date.parse(date.replace(spread, "$1-$2-$3T$4:$5:$6Z"));
  return !spread.test(date) || Number.isNaN(at) ? undefined : at;
}

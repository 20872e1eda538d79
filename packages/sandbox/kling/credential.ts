import { findPair, isPair } from "../key-pairs.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { refused } from "./error.ts";
import { readJwt, type Jwt } from "./jwt.ts";

/**
 * A key, or a token that whoever holds an access key and its secret signs for
 * half an hour; tokens are for the older style alone. Gives back whose it is.
 */
export function checkCredential(
  { headers }: Pick<VendorRequest, "headers">,
  style: "v1" | "3.0",
  { apiKeys, now }: Pick<VendorOptions, "apiKeys" | "now">,
): string {
  const header = headers["authorization"]?.trim() ?? "";
  if (header === "") throw refused(1001);
  const token = /^Bearer\s+(\S+)$/.exec(header)?.[1];
  if (token === undefined) throw refused(1000);

  const jwt = readJwt(token);
  if (jwt !== undefined) {
    if (style === "3.0") throw refused(1002);
    return checkToken(jwt, apiKeys, now() / 1_000);
  }
  if (apiKeys !== undefined && !apiKeys.filter((key) => !isPair(key)).includes(token)) {
    throw refused(1002);
  }
  return token;
}

function checkToken(jwt: Jwt, apiKeys: VendorOptions["apiKeys"], nowSeconds: number): string {
  const { iss, exp, nbf } = jwt.payload;
  const pair = typeof iss === "string" ? findPair(iss, apiKeys) : undefined;
  const isSound = jwt.header["alg"] === "HS256" && typeof exp === "number";
  if (pair === undefined || !isSound || !jwt.isSignedWith(pair.secret)) throw refused(1002);
  if (typeof nbf === "number" && nbf > nowSeconds) throw refused(1003);
  if (exp <= nowSeconds) throw refused(1004);
  return pair.accessKey;
}

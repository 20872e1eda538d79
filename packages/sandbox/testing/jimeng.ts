import { sha256, signatureOf } from "../jimeng/signature.ts";
import { SANDBOX_PAIR } from "../key-pairs.ts";

/** What is sent beside a body, by somebody who holds a pair. */
export function signedHeaders(
  address: string,
  body: string,
  at: number,
  { pair = SANDBOX_PAIR, path }: SigningOptions = {},
): Record<string, string> {
  const { host, pathname, searchParams: query } = new URL(address);
  const [accessKey = "", secret = ""] = pair.split("|");
  const date = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const bodyHash = sha256(body);
  const headers = {
    "content-type": "application/json",
    host,
    "x-content-sha256": bodyHash,
    "x-date": date,
  };
  const names = Object.keys(headers);
  const signature = signatureOf(secret, {
    method: "POST",
    path: path ?? pathname,
    query,
    headers,
    signedHeaders: names,
    bodyHash,
    date,
    region: "cn-north-1",
    service: "cv",
  });
  const scope = `${date.slice(0, 8)}/cn-north-1/cv/request`;
  const authorization = `HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, authorization };
}

export interface SigningOptions {
  /** "ak|sk" */
  readonly pair?: string;
  /** What is signed in place of the path. */
  readonly path?: string;
}

import { createHash, createHmac } from "node:crypto";
import { SANDBOX_PAIR } from "../key-pairs.ts";
import { parseJson, type Json, type JsonObject } from "../json.ts";
import type { Answer, ClockedSandbox } from "./tasks.ts";

/** How a request to the control plane differs from a usual one. */
export interface SignedMore {
  readonly pair?: string;
  readonly region?: string;
  readonly service?: string;
  readonly version?: string;
  /** What the request's time differs by. */
  readonly skewMs?: number;
  /** Headers as they are sent, after all was signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent instead of the body that was signed. */
  readonly sent?: string;
}

/** Asks for an action, signed as the vendor wants it. */
export async function act(
  { sandbox, now }: Pick<ClockedSandbox, "sandbox" | "now">,
  action: string,
  body: JsonObject,
  more: SignedMore = {},
): Promise<Answer> {
  const query = `Action=${action}&Version=${more.version ?? "2024-01-01"}`;
  const text = JSON.stringify(body);
  const url = new URL(`${sandbox.url}/ark/?${query}`);
  const response = await fetch(url, {
    method: "POST",
    headers: { ...sign(url, text, now() + (more.skewMs ?? 0), more), ...more.headers },
    body: more.sent ?? text,
  });
  return { status: response.status, body: parseJson(await response.text()) };
}

/** The result alone, of what has to succeed. */
export async function resultOf(
  simulator: Pick<ClockedSandbox, "sandbox" | "now">,
  action: string,
  body: JsonObject,
  more?: SignedMore,
): Promise<JsonObject> {
  const answer = await act(simulator, action, body, more);
  const result = (answer.body as { readonly Result?: JsonObject } | undefined)?.Result;
  if (answer.status === 200 && result !== undefined) return result;
  throw new Error(`${action} was answered with ${JSON.stringify(answer)}.`);
}

/** The code of what is refused, with its status. */
export function refusalIn({ status, body }: Answer): readonly [number, Json | undefined] {
  const { ResponseMetadata: metadata } = body as {
    readonly ResponseMetadata: { readonly Error?: { readonly Code: string } };
  };
  return [status, metadata.Error?.Code];
}

function sign(
  url: URL,
  body: string,
  at: number,
  { pair = SANDBOX_PAIR, region = "cn-beijing", service = "ark" }: SignedMore,
): Record<string, string> {
  const [accessKey = "", secret = "", token] = pair.split("|");
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    host: url.host,
    "x-content-sha256": sha256(body),
    "x-date": time,
    ...(token === undefined ? {} : { "x-security-token": token }),
  };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const parts = ["POST", url.pathname, url.search.slice(1), lines.join(""), names, sha256(body)];
  const scope = [time.slice(0, 8), region, service, "request"];
  const toSign = ["HMAC-SHA256", time, scope.join("/"), sha256(parts.join("\n"))].join("\n");
  let key: string | Buffer = secret;
  for (const part of [...scope, toSign]) key = createHmac("sha256", key).update(part).digest();
  const signature = Buffer.from(key).toString("hex");
  const credential = `${accessKey}/${scope.join("/")}`;
  return {
    ...headers,
    authorization: `HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

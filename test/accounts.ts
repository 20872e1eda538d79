import type { JsonObject } from "#lib/json.ts";
import { hotp, stepAt } from "#lib/totp.ts";
import { openTestGateway, type TestGateway, type TestGatewayOptions } from "#test/harness.ts";

export const ROOT = { email: "root@example.com", password: "a root of eight and four" } as const;
export const PASSWORD = "nobody would guess this";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject & { readonly success: boolean; readonly message: string };
  readonly data: JsonObject;
}

/** The management API as somebody with one credential sees it. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

export function askWith(url: string, own: Readonly<Record<string, string>> = {}): Ask {
  return async (method, path, body, headers) => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...own, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Reply["body"];
    const data = (answer["data"] ?? {}) as JsonObject;
    return { status: response.status, headers: response.headers, body: answer, data };
  };
}

/**
 * For whoever counts guesses: on a busy machine hashing a few takes longer
 * than the first wait, which is a second.
 */
export const SLOW_MONOTONIC = (): number => performance.now() / 100;

/** A gateway whose root account has a login from the settings. */
export function openWithRoot(
  options: Partial<
    Pick<TestGatewayOptions, "yaml" | "env" | "clock" | "dataDir" | "log" | "hasSlowPasswords">
  > = {},
): Promise<TestGateway> {
  return openTestGateway({
    ...options,
    yaml: options.yaml ?? "sandbox: auto",
    env: {
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
      ...options.env,
    },
  });
}

/** What a browser would send along from now on. */
export async function logIn(url: string, login: object): Promise<Record<string, string>> {
  const { status, headers } = await askWith(url)("POST", "/api/user/login", login);
  if (status !== 200) throw new Error(`The login was answered with ${status}.`);
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  return { cookie, "sec-fetch-site": "same-origin" };
}

/** What a browser would send along after its user set up a second factor with its session. */
export async function setUpSecondFactor(
  url: string,
  headers: Readonly<Record<string, string>>,
  password: string = ROOT.password,
  nowMs = Date.now(),
): Promise<Record<string, string>> {
  const ask = askWith(url, headers);
  const begun = await ask("POST", "/api/user/self/second-factor", { password });
  const code = codeOf(textIn(begun.data, "secret"), nowMs);
  const confirmed = await ask("POST", "/api/user/self/second-factor/confirm", { code });
  return { ...headers, cookie: cookieIn(confirmed) };
}

/** What an authenticator shows that was given this secret. */
export function codeOf(secret: string, nowMs = Date.now()): string {
  const bits = [...secret]
    .map((each) => BASE32.indexOf(each).toString(2).padStart(5, "0"))
    .join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return hotp(
    Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2)),
    stepAt(nowMs),
  );
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function cookieIn({ headers }: Reply): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

export async function asRoot(url: string): Promise<Ask> {
  return askWith(url, await logIn(url, ROOT));
}

/** A new user's access token, made by root. */
export async function tokenOf(url: string, username: string, role = "user"): Promise<string> {
  const root = await asRoot(url);
  const { status } = await root("POST", "/api/user", { username, role, password: PASSWORD });
  if (status !== 200) throw new Error(`The user was answered with ${status}.`);
  const user = askWith(url, await logIn(url, { username, password: PASSWORD }));
  return textIn((await user("POST", "/api/user/token")).data, "token");
}

export async function asUser(url: string, username: string, role?: string): Promise<Ask> {
  return askWith(url, bearer(await tokenOf(url, username, role)));
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function textIn(data: JsonObject, name: string): string {
  const { [name]: value } = data;
  if (typeof value !== "string") throw new Error(`'${name}' is not in the answer.`);
  return value;
}

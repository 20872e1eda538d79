import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { askWith, openWithRoot } from "#test/accounts.ts";
import { CLIENT, PUBLIC_URL, signOnSettings } from "#test/identity-provider.ts";

/** A provider that nobody of this house has written, with its own pages and its own tokens. */
interface Provider {
  callback(): RequestListener;
}
type NewProvider = new (issuer: string, options: object) => Provider;

const CALLBACK = "/api/user/oidc/callback";

/** The package brings no types. */
async function loadProvider(name = "oidc-provider"): Promise<NewProvider> {
  const { default: Provider } = (await import(name)) as { readonly default: NewProvider };
  return Provider;
}

/** Address and token endpoint's ways to show a secret. */
async function openProvider(
  method: string,
): Promise<AsyncDisposable & { readonly issuer: string }> {
  const Provider = await loadProvider();
  const server: Server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [PUBLIC_URL + CALLBACK],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: method,
      },
    ],
    clientAuthMethods: [method],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: id.toUpperCase(),
        email: `${id}@example.com`,
        email_verified: true,
      }),
    }),
    cookies: { keys: ["a key of this test's provider"] },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Fills in the provider's forms as a person would, until it sends the browser back. */
async function walk(start: string, login: string): Promise<URL> {
  const jar = new Map<string, string>();
  const go = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const headers = { "content-type": "application/x-www-form-urlencoded", cookie };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const each of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      jar.set(name, value);
    }
    return response;
  };

  let url = new URL(start);
  for (let step = 0; step < 12; step++) {
    if (url.origin === PUBLIC_URL) return url;
    let response = await go(url);
    if (response.status === 200) {
      const [, prompt = ""] = /name="prompt" value="([^"]+)"/.exec(await response.text()) ?? [];
      const form = new URLSearchParams({ prompt, login, password: "any" });
      response = await go(url, { method: "POST", body: form.toString() });
    }
    url = new URL(response.headers.get("location") ?? "about:blank", url);
  }
  throw new Error("The provider did not send the browser back.");
}

describe.each(["client_secret_basic", "client_secret_post"])(
  "with an independent provider, and the secret sent by %s",
  (method) => {
    let provider: Awaited<ReturnType<typeof openProvider>>;
    beforeAll(async () => {
      provider = await openProvider(method);
    });
    afterAll(() => provider[Symbol.asyncDispose]());

    async function signOn(url: string, login: string): Promise<Response> {
      const begun = await fetch(`${url}/api/user/oidc/login?return_to=/console`, {
        redirect: "manual",
      });
      const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
      const back = await walk(begun.headers.get("location") ?? "", login);
      return await fetch(url + back.pathname + back.search, {
        redirect: "manual",
        headers: { cookie, "sec-fetch-site": "cross-site" },
      });
    }

    test("a user logs in at the identity provider and gets a session", async () => {
      await using gateway = await openWithRoot({ env: signOnSettings(provider.issuer) });

      const response = await signOn(gateway.url, "grace");

      expect([response.status, response.headers.get("location")]).toEqual([302, "/console"]);
      const cookies = response.headers.getSetCookie().map((each) => each.split(";")[0]);
      const session = cookies.find((each) => each?.startsWith("sluice_session=")) ?? "";
      const self = await askWith(gateway.url, { cookie: session })("GET", "/api/user/self");
      expect(self.data).toMatchObject({
        username: "grace",
        display_name: "GRACE",
        email: "grace@example.com",
        role: "user",
      });
    });

    test("a gateway unknown to the provider is reported as the operator's problem", async () => {
      await using gateway = await openWithRoot({
        env: { ...signOnSettings(provider.issuer), SLUICE_OIDC_CLIENT_SECRET: "another" },
      });

      const response = await signOn(gateway.url, "grace");

      expect(response.status).toBe(502);
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  },
);

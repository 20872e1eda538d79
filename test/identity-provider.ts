import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";

export const CLIENT = { id: "sluice", secret: "what+the:provider%gave" } as const;
export const PUBLIC_URL = "https://gateway.example";

/** What the token endpoint is about to sign. */
export interface Draft {
  readonly header: { readonly alg: string; readonly kid: string };
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An identity provider that does what a test tells it, honest unless told otherwise. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly publicKey: JWK;
  /** Whoever logs in next; `sub` and whatever else goes into the token. */
  person: Readonly<Record<string, unknown>>;
  /** Stands for the id token that would be made of this. */
  forge: ((draft: Draft) => string | Promise<string>) | undefined;
  /** What userinfo says; where absent there is no such endpoint. */
  userinfo: Readonly<Record<string, unknown>> | undefined;
  /** Paths that were asked, in order. */
  readonly asked: string[];
  sign(draft: Draft): Promise<string>;
  /** From now on tokens are signed by another key. */
  changeKey(): Promise<void>;
  /** What a browser brings back from a page that it was sent to. */
  visit(location: string): URLSearchParams;
}

export async function openTestProvider(): Promise<TestProvider> {
  const granted = new Map<string, URLSearchParams>();
  let keys = await makeKeys("first");
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: serve });
  const issuer = `http://127.0.0.1:${server.port}`;

  const provider: TestProvider = {
    issuer,
    get publicKey() {
      return keys.jwk;
    },
    person: { sub: "ada-1" },
    forge: undefined,
    userinfo: undefined,
    asked: [],
    sign: ({ header, claims }) =>
      new SignJWT({ ...claims }).setProtectedHeader(header).sign(keys.privateKey),
    async changeKey() {
      keys = await makeKeys(crypto.randomUUID());
    },
    visit(location) {
      const { searchParams } = new URL(location);
      const code = crypto.randomUUID();
      granted.set(code, searchParams);
      return new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: issuer });
    },
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
  return provider;

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    provider.asked.push(pathname);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          authorization_response_iss_parameter_supported: true,
          ...(provider.userinfo === undefined ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        });
      case "/keys":
        return Response.json({ keys: [keys.jwk] });
      case "/userinfo":
        return Response.json(provider.userinfo);
      case "/token":
        return await giveTokens(request);
      default:
        return new Response(null, { status: 404 });
    }
  }

  async function giveTokens(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const pair = Buffer.from(request.headers.get("authorization")?.slice(6) ?? "", "base64");
    if (pair.toString() !== `${CLIENT.id}:${encodeURIComponent(CLIENT.secret)}`) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const code = form.get("code") ?? "";
    const asked = granted.get(code);
    granted.delete(code);
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    const isProven = challenge.digest("base64url") === asked?.get("code_challenge");
    if (
      asked === undefined ||
      !isProven ||
      form.get("redirect_uri") !== asked.get("redirect_uri")
    ) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const now = Math.floor(Date.now() / 1_000);
    const draft: Draft = {
      header: { alg: "ES256", kid: keys.jwk.kid ?? "" },
      claims: {
        iss: issuer,
        aud: CLIENT.id,
        iat: now,
        exp: now + 300,
        nonce: asked.get("nonce"),
        ...provider.person,
      },
    };
    const token = await (provider.forge ?? provider.sign)(draft);
    return Response.json({ id_token: token, access_token: "opens-userinfo", token_type: "Bearer" });
  }
}

async function makeKeys(kid: string): Promise<{ privateKey: CryptoKey; jwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

/** Settings of a gateway that trusts a provider on this machine. */
export function signOnSettings(issuer: string): Record<string, string> {
  return {
    SLUICE_PUBLIC_URL: PUBLIC_URL,
    SLUICE_OIDC_ISSUER: issuer,
    SLUICE_OIDC_CLIENT_ID: CLIENT.id,
    SLUICE_OIDC_CLIENT_SECRET: CLIENT.secret,
    SLUICE_OIDC_NEW_USERS: "create",
    SLUICE_OIDC_ALLOW: "127.0.0.0/8",
  };
}

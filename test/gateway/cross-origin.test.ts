import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "#http/registry.ts";
import { ROOT } from "#test/accounts.ts";
import { openSimulated, openTestGateway, type TestGateway } from "#test/harness.ts";

const PAGE = "https://chat.example.com";
const OTHER = "https://other.example.com";
const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };
/** Sent by the official SDKs of OpenAI, Anthropic and Google in a browser. */
const SDK_HEADERS =
  "anthropic-dangerous-direct-browser-access,anthropic-version,authorization,content-type," +
  "x-api-key,x-goog-api-key,x-goog-api-client,x-stainless-lang,x-stainless-retry-count";

let open: TestGateway;
let closed: TestGateway;
beforeAll(async () => {
  open = await openSimulated({});
  closed = await openSimulated({ env: { SLUICE_CORS_ORIGINS: PAGE } });
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
});

function preflight(at: TestGateway, path: string, method: string, origin = PAGE) {
  const headers = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": SDK_HEADERS,
  };
  return fetch(at.url + path, { method: "OPTIONS", headers });
}

function corsHeaders({ headers }: Response): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

/** A path that a route's pattern matches. */
function pathOf(pattern: string): string {
  return pattern.replaceAll(/:\w+(\{[^}]*\})?/g, (_, rule = "") => {
    const verb = /^\{\.\+(:\w+)\}$/.exec(rule)?.[1] ?? "";
    return `1${verb}`;
  });
}

describe("a preflight", () => {
  test.each([
    ["/v1/chat/completions", "POST"],
    ["/v1/messages", "POST"],
    ["/v1/responses", "POST"],
    ["/v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse", "POST"],
    ["/v1/models", "GET"],
    ["/v1/key", "GET"],
    ["/api/v1/key", "GET"],
    ["/chat/completions", "POST"],
    ["/v1/chat/completion", "POST"],
  ])("of %s allows every page, with the headers of SDKs", async (path, method) => {
    const response = await preflight(open, path, method);

    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe(method);
    expect(response.headers.get("access-control-allow-headers")).toBe(SDK_HEADERS);
    expect(response.headers.get("access-control-max-age")).toBe("86400");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("allows only the origins of the setting, and names the one that asked", async () => {
    const allowed = await preflight(closed, "/v1/chat/completions", "POST");
    const refused = await preflight(closed, "/v1/chat/completions", "POST", OTHER);

    expect(allowed.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(allowed.headers.get("vary")).toContain("origin");
    expect([refused.status, corsHeaders(refused)]).toEqual([405, []]);
  });

  test("is refused for every route that takes no key", async () => {
    const others = ROUTES.filter(({ access }) => access !== "key" && access !== "link");
    expect(others.length).toBeGreaterThan(50);

    for (const { method, path } of others) {
      const response = await preflight(open, pathOf(path), method);
      expect([path, response.status, corsHeaders(response)]).toEqual([path, 405, []]);
    }
  });

  test.each(["TRACE", "PATCH", "post", ""])("for the method '%s' is refused", async (method) => {
    const response = await preflight(open, "/v1/chat/completions", method);

    expect([response.status, corsHeaders(response)]).toEqual([405, []]);
  });
});

describe("an answer to a page", () => {
  test("can be read with all its headers, without credentials", async () => {
    const response = await open.post("/v1/chat/completions", CHAT, { origin: PAGE });

    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("vary")).toContain("origin");
  });

  test("can be read as a stream", async () => {
    const body = { ...CHAT, stream: true };

    const response = await open.post("/v1/chat/completions", body, { origin: PAGE });

    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.text()).toContain("data: [DONE]");
  });

  test.each([
    ["/v1/chat/completions", { authorization: "Bearer wrong" }, 401],
    ["/v1/messages", {}, 400],
    ["/v1/chat/completion", {}, 404],
    ["/v1/models", {}, 405],
  ])("is readable if %s is refused", async (path, headers, status) => {
    const response = await open.post(path, {}, { origin: PAGE, ...headers });

    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("cannot be read by a page of another origin than those of the setting", async () => {
    const allowed = await closed.post("/v1/chat/completions", CHAT, { origin: PAGE });
    const refused = await closed.post("/v1/chat/completions", CHAT, { origin: OTHER });

    expect(allowed.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(corsHeaders(refused)).toEqual([]);
  });

  test("of the management API cannot be read", async () => {
    const login = { username: ROOT.email, password: ROOT.password };
    const answers = [
      await open.post("/api/user/login", login, { origin: PAGE }),
      await open.get("/api/user/self", { origin: PAGE }),
      await open.get("/api/unknown", { origin: PAGE }),
      await open.get("/metrics", { origin: PAGE }),
    ];

    expect(answers.map(corsHeaders)).toEqual([[], [], [], []]);
  });
});

test("an answer to a program has no such headers", async () => {
  const response = await open.post("/v1/chat/completions", CHAT);

  expect(corsHeaders(response)).toEqual([]);
});

test.each(["chat.example.com", "https://chat.example.com/", "https://*.example.com"])(
  "the setting refuses '%s', which no browser sends",
  async (origins) => {
    const opening = openTestGateway({
      yaml: "sandbox: auto",
      env: { SLUICE_CORS_ORIGINS: origins },
    });

    expect(String(await opening.catch((error: unknown) => error))).toContain("SLUICE_CORS_ORIGINS");
  },
);

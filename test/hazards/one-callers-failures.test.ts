import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { json, openVendor, stream, type Seen, type Vendor } from "#test/adapter/vendor.ts";
import type { TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/**
 * Three channels with four credentials for two models, and two users. What one
 * user's requests are refused for must not keep the other one from being served.
 */
let vendor: Vendor;
let gateway: TestGateway;
let ann: string;
let ben: string;
let root: Ask;
let annAsks: Ask;
let respond: (seen: Seen) => Response;
/** The gateway's own requests, which are not among the calls that the vendor saw. */
const lists: Seen[] = [];
const isList = ({ path }: Seen): boolean => path.endsWith("/models");

const SERVED = (): Response =>
  json({ choices: [{ message: { role: "assistant", content: "pong" }, finish_reason: "stop" }] });

beforeAll(async () => {
  vendor = openVendor((seen) => {
    if (!isList(seen)) return respond(seen);
    vendor.seen.splice(vendor.seen.indexOf(seen), 1);
    lists.push(seen);
    return respond(seen);
  });
  const at = (name: string, keys: string, priority: number, models = "m, other"): string =>
    `  - { name: ${name}, provider: openai-compatible, base_url: "${vendor.url}/${name}", api_keys: [${keys}], models: [${models}], priority: ${priority} }`;
  gateway = await openWithRoot({
    yaml: `channels:
${at("first", "key-one-of-first, key-two-of-first", 0)}
${at("second", "key-of-second", 1)}
${at("third", "key-of-third", 2)}
${at("fourth", "key-of-fourth", 0, "alone")}
${at("fifth", "key-of-fifth", 1, "alone")}`,
    env: { SLUICE_LIMIT_ATTEMPTS: "4" },
  });
  root = await asRoot(gateway.url);
  const keyOf = async (asks: Ask): Promise<string> =>
    textIn((await asks("POST", "/api/token", { name: "own" })).data, "key");
  annAsks = await asUser(gateway.url, "ann");
  ann = await keyOf(annAsks);
  ben = await keyOf(await asUser(gateway.url, "ben"));
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});
afterEach(() => {
  gateway.gateway.health.forgetAll();
  vendor.seen.length = 0;
  lists.length = 0;
});

const FLAG = "the odd request";
const isOdd = ({ text }: Seen): boolean => text.includes(FLAG);

async function ask(
  key: string,
  content: string,
  more: object = {},
): Promise<{ status: number; headers: Headers; error: JsonObject; text: string }> {
  const messages = [{ role: "user", content }];
  const answer = await gateway.post(
    "/v1/chat/completions",
    { model: "m", messages, ...more },
    bearer(key),
  );
  const text = await answer.text();
  const body = (text.startsWith("{") ? JSON.parse(text) : {}) as { error?: JsonObject };
  return { status: answer.status, headers: answer.headers, error: body.error ?? {}, text };
}

async function statusesFor(key: string, calls: number, more: object = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < calls; i++) statuses.push((await ask(key, "Hi", more)).status);
  return statuses;
}

const refusing = (status: number, error: object, headers: Record<string, string> = {}) => {
  respond = (seen) => (isOdd(seen) ? Response.json({ error }, { status, headers }) : SERVED());
};

describe("a request that the vendor refuses for its content", () => {
  const refusals: [string, number, object, number, string][] = [
    [
      "a flagged prompt",
      403,
      {
        code: 403,
        message: "Your input was flagged",
        metadata: { reasons: ["violence"], flagged_input: "..." },
      },
      400,
      "Your input was flagged",
    ],
    [
      "a stale cache",
      403,
      {
        code: 403,
        status: "PERMISSION_DENIED",
        message: "CachedContent not found (or permission denied)",
      },
      403,
      "CachedContent not found (or permission denied)",
    ],
    [
      "a beta",
      403,
      { type: "permission_error", message: "You may not use the beta fast-mode." },
      403,
      "You may not use the beta fast-mode.",
    ],
    [
      "an unverified feature",
      403,
      {
        type: "invalid_request_error",
        param: "reasoning.summary",
        message: "Your organization must be verified.",
      },
      403,
      "Your organization must be verified.",
    ],
    [
      "more tokens than the account can pay",
      402,
      { code: 402, message: "This request requires more credits, or fewer max_tokens." },
      400,
      "This request requires more credits, or fewer max_tokens.",
    ],
    [
      "one oversized prompt",
      429,
      {
        type: "tokens",
        code: "rate_limit_exceeded",
        message: "Request too large for m on tokens per min (TPM): Limit 30000, Requested 60000.",
      },
      413,
      "Request too large for m on tokens per min (TPM): Limit 30000, Requested 60000.",
    ],
    [
      "a body too large",
      413,
      { message: "Request exceeds the maximum size" },
      413,
      "Request exceeds the maximum size",
    ],
    [
      "tools that no endpoint has",
      404,
      { code: 404, message: "No endpoints found that support tool use." },
      404,
      "No endpoints found that support tool use.",
    ],
    [
      "a stale file",
      404,
      { type: "not_found_error", message: "File not found: file_011" },
      404,
      "File not found: file_011",
    ],
  ];
  test.each(refusals)(
    "(%s) is not retried, the client gets the vendor's message, and other clients are served",
    async (_what, status, error, told, words) => {
      refusing(status, error, { "retry-after": "60" });

      const answers = [await ask(ann, FLAG), await ask(ann, FLAG)];

      expect(answers.map((each) => each.status)).toEqual([told, told]);
      for (const each of answers) {
        expect(each.error["message"]).toBe(words);
        expect(each.headers.get("x-should-retry")).toBe("false");
      }
      expect(vendor.seen.length).toBe(2);
      expect(await statusesFor(ben, 4)).toEqual([200, 200, 200, 200]);
      // Each of them at once, with the first channel's two credentials in turn.
      expect(vendor.seen.slice(2).map((each) => each.path)).toEqual(
        Array.from({ length: 4 }, () => "/first/chat/completions"),
      );
      expect(await statusesFor(ann, 1)).toEqual([200]);
    },
  );
});

describe("a refusal that may concern the account", () => {
  const refusals: [number, object, number][] = [
    [401, { message: "No." }, 502],
    [402, {}, 502],
    [403, { message: "Not for this one." }, 403],
    [403, { type: "permission_error", message: "Not permitted." }, 403],
  ];
  test.each(refusals)(
    "(%i %j) is retried once on another account, and opens no circuit if one user repeats it",
    async (status, error, told) => {
      refusing(status, error);

      for (let i = 0; i < 4; i++) expect((await ask(ann, FLAG)).status).toBe(told);

      expect(vendor.seen.length).toBe(8);
      const asked = lists.map((each) => each.headers.get("authorization"));
      expect(asked).toHaveLength(new Set(asked).size);
      vendor.seen.length = 0;
      expect(await statusesFor(ben, 4)).toEqual([200, 200, 200, 200]);
      expect(new Set(vendor.seen.map((each) => each.path))).toEqual(
        new Set(["/first/chat/completions"]),
      );
    },
  );

  test("is answered by the next channel that accepts the request", async () => {
    respond = (seen) =>
      seen.headers.get("authorization")?.includes("key-one-of-first") === true
        ? json({ error: { message: "Not for this account." } }, 403)
        : SERVED();

    expect(await statusesFor(ann, 4)).toEqual([200, 200, 200, 200]);
  });

  test("puts the credential into cooldown for a single user if the vendor refuses its model list, too", async () => {
    const isRevoked = ({ path }: Seen): boolean => path.startsWith("/fourth");
    respond = (seen) => (isRevoked(seen) ? json({ error: { message: "No." } }, 401) : SERVED());

    expect(await statusesFor(ann, 1, { model: "alone" })).toEqual([200]);
    expect(vendor.seen.some(isRevoked)).toBe(true);
    await waitFor(async () => {
      vendor.seen.length = 0;
      await ask(ann, "Hi", { model: "alone" });
      return !vendor.seen.some(isRevoked);
    });
    vendor.seen.length = 0;

    expect(await statusesFor(ann, 3, { model: "alone" })).toEqual([200, 200, 200]);
    expect(vendor.seen.some(isRevoked)).toBe(false);
  });

  test("puts the credential into cooldown if a second user gets it too", async () => {
    respond = ({ path }) =>
      path.startsWith("/first") ? json({ error: { message: "No." } }, 403) : SERVED();
    for (const key of [ann, ben]) await ask(key, "Hi");
    vendor.seen.length = 0;

    expect(await statusesFor(ann, 3)).toEqual([200, 200, 200]);
    expect(vendor.seen.some((each) => each.path.startsWith("/first"))).toBe(false);
  });
});

describe("a 429", () => {
  const LIMIT = { message: "Rate limit reached.", code: "rate_limit_exceeded" };

  test("that only one user's requests cause does not delay other users", async () => {
    refusing(429, LIMIT, { "retry-after": "60" });

    const first = await ask(ann, FLAG);
    expect(first.status).toBe(429);
    expect(first.headers.get("retry-after")).toBe("60");
    expect(vendor.seen.length).toBe(4);

    const again = await ask(ann, FLAG);
    expect(again.status).toBe(503);
    expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(50);
    expect(again.headers.get("x-should-retry")).toBeNull();
    expect(again.error["message"]).toContain("rate limit is reached (status 429)");
    expect(vendor.seen.length).toBe(4);

    expect(await statusesFor(ben, 4)).toEqual([200, 200, 200, 200]);
  });

  test("applies only to its own model", async () => {
    refusing(429, LIMIT, { "retry-after": "60" });
    await ask(ann, FLAG);

    expect(await statusesFor(ann, 2, { model: "other" })).toEqual([200, 200]);
  });

  test("that a second user gets as well applies to all users", async () => {
    respond = () =>
      Response.json({ error: LIMIT }, { status: 429, headers: { "retry-after": "30" } });
    await ask(ann, "Hi");
    await ask(ben, "Hi");
    const asked = vendor.seen.length;
    respond = SERVED;

    expect((await ask(ben, "Hi")).status).toBe(503);
    expect((await ask(ann, "Hi")).status).toBe(503);
    expect(vendor.seen.length).toBe(asked);
  });

  test("has a time to retry from the first one on, even if the vendor gives none", async () => {
    refusing(429, LIMIT);

    const { status, headers } = await ask(ann, FLAG);

    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBe(5);
  });
});

describe("failures of the upstream", () => {
  test("that only one user's requests cause block no model for other users", async () => {
    refusing(500, { message: "It broke." });
    for (let i = 0; i < 10; i++) expect((await ask(ann, FLAG)).status).toBe(502);

    expect(await statusesFor(ben, 3)).toEqual([200, 200, 200]);
    expect(await statusesFor(ben, 3, { model: "other" })).toEqual([200, 200, 200]);
  });

  test("of one model do not block the other models of its channel", async () => {
    respond = ({ body, path }) =>
      body["model"] === "m" && path.startsWith("/first")
        ? json({ error: { message: "It broke." } }, 500)
        : SERVED();
    for (let i = 0; i < 6; i++) await ask(ann, "Hi");
    vendor.seen.length = 0;

    expect(await statusesFor(ann, 3)).toEqual([200, 200, 200]);
    expect(vendor.seen.map((each) => each.path)).not.toContain("/first/chat/completions");
    vendor.seen.length = 0;
    await statusesFor(ann, 3, { model: "other" });
    expect(new Set(vendor.seen.map((each) => each.path))).toEqual(
      new Set(["/first/chat/completions"]),
    );
  });

  test("in nine of ten running streams send calls to the spare channel", async () => {
    const begun = 'data: {"choices":[{"index":0,"delta":{"content":"po"}}]}\n\n';
    const whole = [
      begun,
      'data: {"choices":[{"index":0,"delta":{"content":"ng"},"finish_reason":"stop"}]}\n\n',
      "data: [DONE]\n\n",
    ];
    let streams = 0;
    respond = ({ path }) =>
      stream(path.startsWith("/first") && streams++ % 10 !== 0 ? [begun] : whole);

    for (let i = 0; i < 30; i++) await ask(ann, "Hi", { stream: true });

    const spare = vendor.seen.filter((each) => each.path.startsWith("/second"));
    expect(spare.length).toBeGreaterThanOrEqual(20);
  });
});

describe("an account that the vendor refuses", () => {
  test("is reported as such, and the error advises against a retry", async () => {
    respond = () =>
      json({ error: { message: "Incorrect API key provided.", code: "invalid_api_key" } }, 401);

    const first = await ask(ann, "Hi");
    expect(first.status).toBe(502);
    expect(first.error["message"]).toBe("The upstream does not accept the gateway's account.");
    expect(first.headers.get("x-should-retry")).toBe("false");
    const asked = vendor.seen.length;

    for (const key of [ann, ben]) {
      const { status, headers, error } = await ask(key, "Hi");
      expect(status).toBe(503);
      expect(error["message"]).toBe(
        "No upstream is available for this model: the upstream does not accept the gateway's account (status 401).",
      );
      expect(headers.get("x-should-retry")).toBe("false");
      expect(headers.get("retry-after")).toBeNull();
    }
    expect(vendor.seen.length).toBe(asked);
  });
});

describe("the call log", () => {
  test("has the vendor's status and code for users, and the reason for operators only", async () => {
    const key = "unsupported_parameter";
    respond = () =>
      json(
        {
          error: {
            message: `Unsupported parameter: 'max_tokens'. You wrote: Greet Kunigunde.`,
            type: "invalid_request_error",
            code: key,
          },
        },
        400,
      );
    const answer = await ask(ann, "Greet Kunigunde.");
    expect(answer).toMatchObject({ status: 400, error: { code: key } });
    const id = answer.headers.get("x-request-id") ?? "";

    const own = await annAsks("GET", `/api/log/self/${id}`);
    expect(own.data).toMatchObject({
      fault: "upstream_rejected",
      upstream_status: 400,
      upstream_code: key,
    });
    expect(JSON.stringify(own.data)).not.toContain("Unsupported");

    const whole = await root("GET", `/api/log/${id}`);
    expect(whole.data["attempts"]).toEqual([
      {
        channel: "first",
        credential: expect.any(String),
        fault: "upstream_rejected",
        status: 400,
        code: key,
        type: "invalid_request_error",
        reason: "Unsupported parameter: 'max_tokens'. You wrote: … ….",
        start_ms: expect.any(Number),
        connect_ms: expect.any(Number),
        wait_ms: expect.any(Number),
        first_byte_ms: null,
        end_ms: expect.any(Number),
        duration_ms: expect.any(Number),
      },
    ]);
  });

  test("has the reason for a stream that broke off", async () => {
    respond = () =>
      stream(
        [
          'data: {"choices":[{"index":0,"delta":{"content":"po"}}]}\n\n',
          'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n',
        ],
        "text/event-stream",
        // What fails before anything has left is tried elsewhere.
        async (index) => (index === 1 ? await Bun.sleep(300) : undefined),
      );
    const answer = await ask(ann, "Hi", { stream: true });
    const id = answer.headers.get("x-request-id") ?? "";

    const own = await annAsks("GET", `/api/log/self/${id}`);
    expect(own.data).toMatchObject({
      fault: "upstream_overloaded",
      upstream_status: 200,
      upstream_code: null,
    });
    const whole = await root("GET", `/api/log/${id}`);
    expect(whole.data["attempts"]).toMatchObject([
      { fault: "upstream_overloaded", type: "overloaded_error", reason: null },
    ]);
  });
});

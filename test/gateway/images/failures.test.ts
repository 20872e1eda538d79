import { describe, expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { answerTokens, BASE64, openPictureVendor } from "#test/picture-vendor.ts";
import { openPlace } from "./picture-place.ts";

const PATHS = ["/v1/images/generations", "/openai/v1/images/generations"];
const asked = { model: "gpt-image-1", prompt: "a fox" };

interface Failure {
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
  readonly told: number;
  readonly code: string;
}

const error = (code: string | null, message: string, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});

const FAILURES: readonly Failure[] = [
  {
    what: "a value it does not know",
    status: 400,
    body: {
      error: {
        code: "invalid_value",
        message: "Invalid value: 'x'.",
        param: "background",
        type: "invalid_request_error",
      },
    },
    told: 400,
    code: "invalid_value",
  },
  {
    what: "a picture it cannot read",
    status: 400,
    body: error("invalid_image_file", "Invalid image data.", "image_generation_user_error"),
    told: 400,
    code: "invalid_image_file",
  },
  {
    what: "what it will not draw",
    status: 400,
    body: error("moderation_blocked", "Your request was rejected.", "image_generation_user_error"),
    told: 400,
    code: "content_policy_violation",
  },
  {
    what: "what it will not draw, in older words",
    status: 400,
    body: error("content_policy_violation", "Your request was rejected."),
    told: 400,
    code: "content_policy_violation",
  },
  {
    what: "our account",
    status: 401,
    body: error("invalid_api_key", "Incorrect API key provided."),
    told: 502,
    code: "upstream_unavailable",
  },
  {
    what: "our account, which is at its limit",
    status: 400,
    body: error("billing_hard_limit_reached", "Billing hard limit has been reached."),
    told: 502,
    code: "upstream_unavailable",
  },
  {
    what: "a model it does not have",
    status: 404,
    body: error("model_not_found", "No such model."),
    told: 502,
    code: "upstream_unavailable",
  },
  {
    what: "so many at once",
    status: 429,
    body: error("rate_limit_exceeded", "Rate limit reached for images."),
    told: 429,
    code: "rate_limit_exceeded",
  },
  {
    what: "anything, since it is down",
    status: 500,
    body: error(null, "The server had an error.", "server_error"),
    told: 502,
    code: "upstream_error",
  },
  {
    what: "anything, in a proxy's words",
    status: 503,
    body: "<html>Service Unavailable</html>",
    told: 503,
    code: "overloaded",
  },
  {
    what: "within a success",
    status: 200,
    body: error("rate_limit_exceeded", "Slow down."),
    told: 429,
    code: "rate_limit_exceeded",
  },
  {
    what: "without a word, by no picture",
    status: 200,
    body: { created: 1, data: [] },
    told: 502,
    code: "upstream_error",
  },
  {
    what: "without a word, by empty pictures",
    status: 200,
    body: { created: 1, data: [{ b64_json: "", url: "" }] },
    told: 502,
    code: "upstream_error",
  },
  {
    what: "every picture for itself",
    status: 200,
    body: { data: [{ error: { code: "content_filter", message: "No." } }] },
    told: 400,
    code: "content_policy_violation",
  },
  { what: "in what is no JSON", status: 200, body: "OK", told: 502, code: "upstream_error" },
];

describe.each(FAILURES)("a vendor that refuses $what", ({ status, body, told, code }) => {
  test("gets an error in both formats, without cost", async () => {
    let asks = 0;
    const bothAsk = Promise.withResolvers<void>();
    await using place = await openPlace(async () => {
      // One that fails first would let the other one rest.
      if (++asks === PATHS.length) bothAsk.resolve();
      await bothAsk.promise;
      return typeof body === "string"
        ? new Response(body, { status })
        : Response.json(body, { status });
    });
    using books = openBooks(place.gateway.dataDir);

    const [envelope, plain] = await Promise.all(
      PATHS.map((path) => place.gateway.post(path, asked)),
    );

    expect([envelope?.status, plain?.status]).toEqual([told, told]);
    const failure = (await plain?.json()) as { error: { message: string } };
    expect(failure).toMatchObject({ error: { code } });
    expect(await envelope?.json()).toEqual({
      code: told,
      msg: failure.error.message,
      data: null,
      ...failure,
    });
    expect(failure.error.message).not.toContain("API key");
    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(0);
  });
});

/** One of two, with a word about the other one. */
const ONE_OF_TWO = () =>
  Response.json({
    data: [{ b64_json: BASE64 }, { error: { code: "content_filter", message: "No." } }],
  });

/** What the journal says of the only call. */
async function journaled(dataDir: string): Promise<unknown> {
  using books = openBooks(dataDir);
  await books.whenSettled();
  return JSON.parse(String(books.calls().at(-1)?.["lost"]));
}

test.each(PATHS)(
  "%s returns the completed images, and reports that there are fewer",
  async (path) => {
    await using place = await openPlace(ONE_OF_TWO);

    const answer = await place.gateway.post(path, { ...asked, n: 2 });

    const body = (await answer.json()) as { data: object };
    expect("data" in body.data ? body.data : body).toMatchObject({ data: [{ b64_json: BASE64 }] });
    expect(answer.headers.get("sluice-lossy")).toBe("n");
    expect(await journaled(place.gateway.dataDir)).toEqual(["n"]);
  },
);

test("[A2.9] a lower number of images is reported only if the vendor does not report it", async () => {
  await using place = await openPlace(() => Response.json({ data: [{ b64_json: BASE64 }] }));
  const ask = (n: number) => place.gateway.post("/v1/images/generations", { ...asked, n });

  expect((await ask(1)).headers.get("sluice-lossy")).toBeNull();
  expect((await ask(2)).headers.get("sluice-lossy")).toBe("n");
});

test("completed images are charged, and a strict client gets them, too", async () => {
  await using place = await openPlace(ONE_OF_TWO);
  const strict = { "sluice-strict": "true" };

  const answer = await place.gateway.post("/v1/images/generations", { ...asked, n: 2 }, strict);

  expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, "n"]);
});

test("a stream made of a complete response reports at its start that there are fewer images", async () => {
  await using place = await openPlace(ONE_OF_TWO);
  const body = { ...asked, n: 2, stream: true };

  const answer = await place.gateway.post("/v1/images/generations", body);

  expect(answer.headers.get("sluice-lossy")).toBe("n");
  expect(await answer.text()).toContain("image_generation.failed");
  expect(await journaled(place.gateway.dataDir)).toEqual(["n"]);
});

test("completed parts are returned and charged if others failed", async () => {
  let asks = 0;
  await using place = await openPlace((seen) =>
    ++asks === 2
      ? Response.json(error("moderation_blocked", "No."), { status: 400 })
      : answerTokens(seen),
  );
  using books = openBooks(place.gateway.dataDir);

  const answer = await place.gateway.post("/openai/v1/images/generations", {
    model: "dall-e-3",
    prompt: "a fox",
    n: 3,
  });

  const { data } = (await answer.json()) as { data: object[] };
  expect(data.length).toBe(2);
  expect(answer.headers.get("sluice-lossy")).toBe("n");
  expect(await books.whenSettled()).toEqual([]);
  expect(books.spent()).toBe(2 * (10 * 10_000 + 1_056 * 40_000));
});

test("a link instead of an image is followed for base64, if it is the vendor's own", async () => {
  await using place = await openPlace(({ path, headers }) =>
    path === "/v1/made.png"
      ? new Response(Buffer.from(BASE64, "base64"))
      : Response.json({ data: [{ url: `http://${headers.get("host")}/v1/made.png` }] }),
  );

  const body = { ...asked, model: "dall-e-3", response_format: "b64_json" };
  const answer = await place.gateway.post("/v1/images/generations", body);

  expect(await answer.json()).toMatchObject({ data: { data: [{ url: "", b64_json: BASE64 }] } });
});

test("a vendor's link that leads to a private address is returned, and not followed", async () => {
  await using within = openPictureVendor(() => new Response(Buffer.from(BASE64, "base64")));
  const url = `${within.url}/made.png`;
  await using place = await openPlace(() => Response.json({ data: [{ url }] }));

  const body = { ...asked, model: "dall-e-3", response_format: "b64_json" };
  const answer = await place.gateway.post("/v1/images/generations", body);

  expect(await answer.json()).toMatchObject({ data: { data: [{ url, b64_json: "" }] } });
  expect(answer.headers.get("sluice-lossy")).toBe("response_format");
  expect(within.seen).toEqual([]);
});

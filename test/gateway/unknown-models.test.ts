import { expect, test } from "bun:test";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const YES = { supported: true };
const NO = { supported: false };
/** Nothing in its name tells of a family. */
const NEW = "aurora-1";

/** As a vendor lists a model that this gateway was written before. */
const LIST = {
  data: [
    {
      type: "model",
      id: NEW,
      created_at: "2027-03-01T00:00:00Z",
      max_input_tokens: 500_000,
      max_tokens: 40_000,
      capabilities: {
        image_input: YES,
        pdf_input: YES,
        structured_outputs: YES,
        effort: { ...YES, low: YES, high: YES },
        thinking: {
          ...YES,
          types: { adaptive: YES, disabled: NO, enabled: NO, between_tools: NO },
        },
      },
    },
  ],
  has_more: false,
};

interface Explained {
  readonly data: {
    readonly request: { readonly body: Record<string, unknown> };
    readonly channels: readonly { readonly traits: Record<string, unknown> }[];
  };
}

async function explained(opened: TestGateway, model: string): Promise<Explained["data"]> {
  const body = {
    model,
    messages: [{ role: "user", content: "Hi" }],
    reasoning_effort: "none",
    max_tokens: 90_000,
  };
  const answer = await opened.post("/api/explain", { path: "/v1/chat/completions", body });
  return ((await answer.json()) as Explained).data;
}

test("an unknown model has the traits in its vendor's list", async () => {
  const vendor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(LIST) });
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: vendor, provider: anthropic, base_url: "http://127.0.0.1:${vendor.port}/v1", api_key: k }
models:
  house-aurora: { like: ${NEW} }
`,
  });
  await waitFor(async () => (await opened.get(`/v1/models/${NEW}`)).status === 200);

  const { request, channels } = await explained(opened, NEW);

  // It cannot stop thinking, so it thinks as little as it can, and writes no more than it can.
  expect(request.body).toMatchObject({
    max_tokens: 40_000,
    output_config: { effort: "low" },
  });
  expect(request.body).not.toHaveProperty("thinking");
  expect(channels[0]?.traits).toMatchObject({
    context_tokens: { value: 500_000, from: "vendor's list" },
    "rules.thinking": { value: ["adaptive"], from: "vendor's list" },
  });
  expect(await (await opened.get(`/v1/models/${NEW}`)).json()).toMatchObject({
    created: Date.UTC(2027, 2, 1) / 1_000,
    context_length: 500_000,
  });
  await vendor.stop(true);
});

test("an unlisted model of a family has the traits of the newest known one", async () => {
  await using opened = await openTestGateway({
    yaml: `channels:
  - name: vendor
    provider: anthropic
    base_url: http://127.0.0.1:9/v1
    api_key: k
    models: [claude-opus-5-9]
`,
  });

  const { request, channels } = await explained(opened, "claude-opus-5-9");

  expect(request.body).toMatchObject({ output_config: { effort: "low" } });
  expect(request.body).not.toHaveProperty("temperature");
  expect(channels[0]?.traits).toMatchObject({
    "rules.forced_tools": { value: false, from: "family" },
  });
});

test("the operator's `like` setting takes precedence over the model's name and the catalogue", async () => {
  await using opened = await openTestGateway({
    yaml: `channels:
  - name: vendor
    provider: anthropic
    base_url: http://127.0.0.1:9/v1
    api_key: k
    models: [in-house]
models:
  in-house: { like: claude-haiku-4-5, context: 7000 }
`,
  });

  const { channels, request } = await explained(opened, "in-house");

  expect(channels[0]?.traits).toMatchObject({
    context_tokens: { value: 7_000, from: "configuration" },
    max_output_tokens: { value: 64_000, from: "configuration" },
  });
  expect(request.body).toMatchObject({ thinking: { type: "disabled" } });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { models } from "#cli/models.ts";
import { asRoot, openWithRoot } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openWithRoot({
    yaml: [
      "channels:",
      "  - { name: own, provider: openai, api_key: sk-upstream }",
      "  - { name: films, provider: vidu, api_key: sk-upstream }",
    ].join("\n"),
    // Nobody is reached.
    env: { HTTPS_PROXY: "http://127.0.0.1:9" },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test("a video with a retired model is refused at once, and the error names the nearest model", async () => {
  const answer = await gateway.post("/v1/videos", { model: "sora-2", prompt: "a lake" });

  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    error: {
      code: "model_not_found",
      message: expect.stringMatching(
        /^The vendor of 'sora-2' stopped serving it on 2026-09-24\. The nearest model that is served here is 'vidu/,
      ),
    },
  });
});

test("lists omit retired models, and a look-up reports the day of retirement", async () => {
  const { data } = (await (await gateway.get("/v1/models")).json()) as { data: { id: string }[] };
  const ids = data.map(({ id }) => id);
  const one = await gateway.get("/v1/models/gpt-4.1-nano");

  expect(ids).toContain("gpt-6.1-sol");
  expect(ids.filter((id) => /sora|gpt-4\.1-nano|gpt-image-1$/.test(id))).toEqual([]);
  expect([one.status, await one.text()]).toEqual([404, expect.stringContaining("2026-10-23")]);
});

test("an admin sees it as retired, with the day", async () => {
  const root = await asRoot(gateway.url);
  const { data } = await root("GET", "/api/model");
  const { data: unpriced } = await root("GET", "/api/model?unpriced=true");

  expect(data["retired"]).toContainEqual({ name: "sora-2", channel: "own", since: "2026-09-24" });
  expect(unpriced["retired"]).toEqual([]);
  const lines = models.verbs[0]?.show(data) ?? [];
  expect([...lines].join("\n")).toMatch(/sora-2 +own +retired on 2026-09-24/);
});

import { expect, test } from "bun:test";
import { json, openVendor } from "#test/adapter/vendor.ts";
import { openTestGateway } from "#test/harness.ts";

const NOW = 1_795_000_000;

test.each([1, 1e3, 1e6, 1e9])(
  "a response with its time in seconds as %d reaches clients of every style",
  async (unit) => {
    const message = { role: "assistant", content: "pong" };
    await using vendor = openVendor(() =>
      json({
        id: "1",
        created: NOW * unit,
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }),
    );
    await using gateway = await openTestGateway({
      yaml: `channels:
  - { name: one, provider: ollama, base_url: "${vendor.url}", models: [m] }`,
    });
    const messages = [{ role: "user", content: "Hi" }];
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const ask = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await gateway.post(path, body);
      expect(answer.status).toBe(200);
      return (await answer.json()) as Record<string, unknown>;
    };

    const native = await ask("/v1beta/models/m:generateContent", { contents });
    expect(native["createTime"]).toBe(new Date(NOW * 1e3).toISOString());
    const chat = await ask("/v1/chat/completions", { model: "m", messages });
    expect(chat["created"]).toBe(NOW);
    const responses = await ask("/v1/responses", { model: "m", input: "Hi", store: false });
    expect(responses["created_at"]).toBe(NOW);
  },
);

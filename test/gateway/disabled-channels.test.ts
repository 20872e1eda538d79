import { describe, expect, test } from "bun:test";
import { asRoot, openWithRoot, type Ask } from "#test/accounts.ts";
import { KEY } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const ANSWER = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** A vendor that refuses its key until it is told otherwise. */
function openVendor() {
  let accepts = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      accepts
        ? Response.json(ANSWER)
        : Response.json(
            { error: { message: "Incorrect API key.", code: "invalid_api_key" } },
            { status: 401 },
          ),
  });
  return {
    url: server.url.origin,
    accept: () => void (accepts = true),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("of two gateways", () => {
  test("one disables a refused channel, both follow, and a user enables it again", async () => {
    await using vendor = openVendor();
    await using database = await openScratchDatabase();
    const options = {
      env: { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
    };
    await using one = await openWithRoot(options);
    await using other = await openWithRoot(options);
    const [root, second] = [await asRoot(one.url), await asRoot(other.url)];
    const made = await root("POST", "/api/channel", {
      name: "main",
      provider: "openai",
      base_url: vendor.url,
      api_key: "a-refused-key-of-this-test",
      models: ["gpt-4o-mini"],
      auto_disable: { refused: true },
    });
    expect(made.data).toMatchObject({ disabled: null, auto_disable: { refused: true } });
    const path = `/api/channel/${Number(made.data["id"])}`;
    const call = async (gateway: typeof one) => {
      const messages = [{ role: "user", content: "hi" }];
      const body = { model: "gpt-4o-mini", max_tokens: 5, messages };
      const answer = await gateway.post("/v1/chat/completions", body, {
        authorization: `Bearer ${KEY}`,
      });
      return [answer.status, await answer.text()] as const;
    };

    expect((await call(one))[0]).toBe(502);
    const isDisabled = async (ask: Ask) => (await ask("GET", path)).data["disabled"] !== null;
    await waitFor(async () => (await isDisabled(root)) && (await isDisabled(second)), 10_000);

    const [status, text] = await call(other);
    expect(status).toBe(503);
    expect(text).toContain("the gateway disabled its channels");
    const shown = (await second("GET", path)).data;
    expect(shown).toMatchObject({ status: 1, serving: false, disabled: { cause: "refused" } });
    expect(shown["health"]).toMatchObject({
      state: "disabled",
      text: expect.stringMatching(
        /^disabled by the gateway since 20\S+, because the vendor refuses the credential: .*HTTP 401/,
      ),
    });
    const audit = (await root("GET", "/api/audit")).data["items"] as { action: string }[];
    expect(audit.filter(({ action }) => action === "(channel disabled)")).toHaveLength(1);

    vendor.accept();
    const enabled = await second("POST", `${path}/enable`);

    expect(enabled.data).toMatchObject({ disabled: null, serving: true });
    await waitFor(async () => (await call(one))[0] === 200, 10_000);
    expect((await call(other))[0]).toBe(200);
  }, 30_000);
});

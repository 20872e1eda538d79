import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, logIn, openWithRoot, ROOT, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { openScriptedVendor } from "#test/scripted-vendor.ts";
import { openTestProxy } from "#test/test-proxy.ts";

const PROMPT = "You work for Example Corp.";
const LOGIN = "me:the-proxys-password";

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
let count = 0;
beforeAll(async () => {
  sandbox = await startSandbox();
  opened = await openWithRoot();
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

const CHAT = { provider: "openai", base: "/openai/v1", model: "gpt-4o-mini" };
const MESSAGES = { provider: "anthropic", base: "/anthropic/v1", model: "claude-sonnet-5-5" };

/** A channel with a model of its own. */
async function create(more: object, { provider, base, model } = CHAT) {
  const name = `channel-${++count}`;
  const { status, body, data } = await root("POST", "/api/channel", {
    name,
    provider,
    base_url: sandbox.url + base,
    api_key: "a-stored-channels-credential-jasper",
    models: [{ name, upstream: model }],
    ...more,
  });
  if (status !== 200) throw new Error(`The channel was answered with ${body.message}`);
  return { name, id: Number(data["id"]), data };
}

function ask(model: string, more: object = {}): Promise<Response> {
  const messages = [{ role: "user", content: "hi" }];
  return opened.post("/v1/chat/completions", { model, max_tokens: 50, messages, ...more });
}

const lastBody = () => sandbox.requests.at(-1)?.body;

describe("a channel with a system prompt", () => {
  test("sends it with calls that pass through, and the caller is charged for it", async () => {
    const { name } = await create({ system_prompt: PROMPT });
    const { name: plain } = await create({});

    const answer = (await (await ask(name)).json()) as object;
    const sent = lastBody();
    const other = (await (await ask(plain)).json()) as object;

    expect(memberOf(sent, "messages")).toEqual([
      { role: "system", content: PROMPT },
      { role: "user", content: "hi" },
    ]);
    const tokens = (of: object) =>
      Number(memberOf(memberOf(of as never, "usage"), "prompt_tokens"));
    expect(tokens(answer)).toBeGreaterThan(tokens(other));
  });

  test("sends it with translated calls, before the caller's marked blocks", async () => {
    const { name } = await create({ system_prompt: PROMPT }, MESSAGES);
    expect((await ask(name)).status).toBe(200);
    expect(memberOf(lastBody(), "system")).toBe(PROMPT);

    const marked = { type: "text", text: "Mine.", cache_control: { type: "ephemeral" } };
    const messages = [{ role: "user", content: "hi" }];
    const body = { model: name, max_tokens: 50, system: [marked], messages };
    const passed = await opened.post("/v1/messages", body);

    expect([passed.status, await passed.text()]).toEqual([200, expect.any(String)]);
    expect(memberOf(lastBody(), "system")).toEqual([{ type: "text", text: PROMPT }, marked]);
  });

  test("counts it where a client asks for the tokens of a call", async () => {
    const { name } = await create({ system_prompt: PROMPT }, MESSAGES);
    const { name: plain } = await create({}, MESSAGES);
    const messages = [{ role: "user", content: "hi" }];
    const count = async (path: string, body: object): Promise<number> =>
      Number(((await (await opened.post(path, body)).json()) as JsonObject)["input_tokens"]);
    const path = "/v1/messages/count_tokens";

    const counted = await count(path, { model: name, messages });

    expect(counted).toBe(await count(path, { model: plain, system: PROMPT, messages }));
    expect(counted).toBeGreaterThan(await count(path, { model: plain, messages }));
    const input = { instructions: PROMPT, input: "hi" };
    expect(await count("/v1/responses/input_tokens", { model: name, input: "hi" })).toBe(
      await count("/v1/responses/input_tokens", { model: plain, ...input }),
    );
  });

  test("explains its place to callers, but not its words", async () => {
    const { name } = await create({ system_prompt: PROMPT });
    const messages = [{ role: "user", content: "hi" }];

    const body = { path: "/v1/chat/completions", body: { model: name, messages } };
    const explained = await (await opened.post("/api/explain", body)).text();

    expect(explained).not.toContain(PROMPT);
    expect(explained).toContain("[system prompt of the channel]");
    expect(explained).toContain('"overrides":["system_prompt"]');
  });
});

describe("a channel with a timeout", () => {
  test("gives a call to another channel, although the gateway would wait longer", async () => {
    await using late = await openScriptedVendor();
    late.play([30_000]);
    const model = { name: "timed", upstream: "gpt-4o-mini" };
    const timeout = { total: "200ms" };
    await create({ base_url: `${late.url}/v1`, models: [model], timeout, priority: -1 });
    await create({ models: [model] });

    const whole = await ask("timed");
    const streamed = await ask("timed", { stream: true });

    expect([whole.status, streamed.status]).toEqual([200, 200]);
    expect(await streamed.text()).toContain("[DONE]");
    expect(late.count).toBe(2);
  });

  test("is refused if it has no limit, or none that a call could keep", async () => {
    for (const timeout of [{}, { total: "1ms" }, { total: "30h" }]) {
      expect(create({ timeout })).rejects.toThrow("timeout");
    }
  });
});

describe.each(["http", "socks5"])("a channel with a proxy of %s", (scheme) => {
  test("sends all its requests through it, over connections that are kept", async () => {
    await using proxy = await openTestProxy(LOGIN);
    const address = `${scheme}://***@127.0.0.1:${proxy.port}`;
    const { name, id, data } = await create({ proxy: address.replace("***", LOGIN) });
    expect(data["proxy"]).toBe(address);

    const statuses = [await ask(name), await ask(name, { stream: true })].map((each) =>
      each.text().then(() => each.status),
    );
    const tested = await root("POST", `/api/channel/${id}/test`, {});

    expect(await Promise.all(statuses)).toEqual([200, 200]);
    expect(tested.data["ok"]).toBe(true);
    const port = new URL(sandbox.url).port;
    expect([...new Set(proxy.targets)]).toEqual([`127.0.0.1:${port}`]);
    expect(proxy.targets.length).toBeLessThanOrEqual(3);
    expect([...new Set(proxy.logins)]).toEqual([LOGIN]);
  });

  test("keeps the login if the shown address is sent back, and shows it nowhere", async () => {
    await using proxy = await openTestProxy(LOGIN);
    const address = `${scheme}://***@127.0.0.1:${proxy.port}`;
    const { name, id } = await create({ proxy: address.replace("***", LOGIN) });

    const kept = await root("PUT", `/api/channel/${id}`, { notes: "x", proxy: address });
    const copied = await root("POST", `/api/channel/${id}/copy`, { status: 1 });
    const answered = await ask(name);
    const elsewhere = await root("PUT", `/api/channel/${id}`, {
      proxy: address.replace(String(proxy.port), "1"),
    });

    expect([kept.data["proxy"], copied.data["proxy"]]).toEqual([address, address]);
    expect(answered.status).toBe(200);
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      expect.stringContaining("no login is stored for this address"),
    ]);
    const shown = JSON.stringify((await root("GET", "/api/channel")).data);
    const exported = await (
      await fetch(`${opened.url}/api/config`, { headers: await logIn(opened.url, ROOT) })
    ).text();
    expect(shown + exported).not.toContain("the-proxys-password");
    expect(exported).toContain("***@127.0.0.1");
  });

  test("is unreachable if the proxy refuses the login, and the log has the fault", async () => {
    await using proxy = await openTestProxy(LOGIN);
    const { name } = await create({ proxy: `${scheme}://me:wrong@127.0.0.1:${proxy.port}` });

    const { status } = await ask(name);

    expect(status).toBe(502);
    expect(proxy.targets).toEqual([]);
  });
});

describe("the balance of a channel", () => {
  test("is read from the vendor, kept, and low below the channel's threshold", async () => {
    let asked = 0;
    const vendor = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        asked++;
        if (new URL(request.url).pathname !== "/user/balance")
          return new Response("", { status: 404 });
        const isSecond = request.headers.get("authorization")?.endsWith("second") === true;
        const total_balance = isSecond ? "3.50" : "110.00";
        const balance_infos = [{ currency: "CNY", total_balance }];
        return Response.json({ is_available: true, balance_infos });
      },
    });
    const more = {
      low_balance: 5,
      api_key: null,
      api_keys: ["a-key-that-is-the-first", "a-key-that-is-the-second"],
    };
    const at = { provider: "deepseek", base: "", model: "deepseek-chat" };
    const { id } = await create({ ...more, base_url: `${vendor.url.origin}/v1` }, at);

    const first = await root("GET", `/api/channel/${id}/balance`);
    const again = await root("GET", `/api/channel/${id}/balance`);
    const { data } = await root("GET", `/api/channel/${id}`);
    await vendor.stop(true);

    const balance = {
      amount: 3.5,
      currency: "CNY",
      usable: true,
      low: true,
      at: expect.any(Number),
    };
    expect([first.data, again.data, data["balance"]]).toEqual([balance, balance, balance]);
    expect(asked).toBe(2);
  });

  test.each([
    ["deepseek", "/deepseek/v1", 110, "CNY"],
    ["moonshot", "/moonshot/v1", 49.58894, "USD"],
    ["siliconflow", "/siliconflow/v1", 88.88, "USD"],
    ["openrouter", "/openrouter/api/v1", 74.5, "USD"],
    ["vidu", "/vidu", 2_000, "credits"],
    ["kling", "/kling", 812.5, "units"],
  ])("is read from the simulator of %s", async (provider, base, amount, currency) => {
    const { id } = await create({}, { provider, base, model: "any" });

    const { data } = await root("GET", `/api/channel/${id}/balance`);

    expect(data).toMatchObject({ amount, currency, usable: true, low: false });
  });

  test("is refused for vendors that show none", async () => {
    const { id } = await create({});

    const { status, body } = await root("GET", `/api/channel/${id}/balance`);

    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining("'openai' does not show balances"),
    ]);
  });
});

describe("a change of several channels", () => {
  const bulk = (body: object) => root("POST", "/api/channel/bulk", body);
  const changesOf = async (body: object) => {
    const items = (await bulk(body)).data["items"] as { readonly changes: object }[];
    return items.map(({ changes }) => changes);
  };

  test("is shown first, made as it was shown, and refused if a channel changed since", async () => {
    const one = await create({ tags: ["team-a", "eu"], weight: 2 });
    const two = await create({ tags: ["team-a"] });
    const request = { tag: "team-a", change: { priority: 7, weight: 2 }, add_tags: ["checked"] };

    const shown = await bulk(request);
    const untouched = await root("GET", `/api/channel/${one.id}`);
    expect(shown.data).toMatchObject({
      applied: false,
      skipped: [],
      items: [
        {
          id: one.id,
          changes: {
            priority: { before: 0, after: 7 },
            tags: { before: ["team-a", "eu"], after: ["team-a", "eu", "checked"] },
          },
        },
        { id: two.id, changes: { weight: { before: 1, after: 2 } } },
      ],
    });
    expect(Object.keys((shown.data["items"] as { changes: object }[])[0]?.changes ?? {})).toEqual([
      "priority",
      "tags",
    ]);
    expect(untouched.data).toMatchObject({ priority: 0, revision: 1 });

    await root("PUT", `/api/channel/${two.id}`, { notes: "changed" });
    const outdated = await bulk({ ...request, plan: shown.data["plan"], apply: true });
    expect(outdated.status).toBe(409);
    const again = await bulk(request);
    const made = await bulk({ ...request, plan: again.data["plan"], apply: true });

    expect(made.data["applied"]).toBe(true);
    for (const { id } of [one, two]) {
      const { data } = await root("GET", `/api/channel/${id}`);
      expect(data).toMatchObject({ priority: 7, weight: 2, credentials: { count: 1 } });
      expect(data["tags"]).toContain("checked");
    }
    expect(await changesOf(request)).toEqual([{}, {}]);
  });

  test("sets a proxy for all of them, and says that its login is new", async () => {
    const channels = [await create({}), await create({ proxy: "http://other.example:3128" })];
    const ids = channels.map(({ id }) => id);
    const change = { proxy: `http://${LOGIN}@127.0.0.1:3128` };
    const shown = "http://***@127.0.0.1:3128";

    const planned = await bulk({ ids, change });
    await bulk({ ids, change, plan: planned.data["plan"], apply: true });
    const other = await bulk({ ids, change: { proxy: "http://me:else@127.0.0.1:3128" } });
    const removed = await bulk({ ids, change: { proxy: null }, apply: true });

    const after = `${shown} (new login)`;
    expect(planned.data["items"]).toMatchObject([
      { changes: { proxy: { before: null, after } } },
      { changes: { proxy: { before: "http://other.example:3128", after } } },
    ]);
    expect(JSON.stringify(planned.data)).not.toContain(LOGIN);
    expect(other.data["items"]).toMatchObject([
      { changes: { proxy: { before: shown, after } } },
      {},
    ]);
    expect(removed.data["items"]).toMatchObject([{ changes: { proxy: { after: null } } }, {}]);
    for (const id of ids) {
      const { data } = await root("GET", `/api/channel/${id}`);
      expect(data).toMatchObject({ proxy: null, credentials: { count: 1 } });
    }
  });

  test("applies a plan with no other login of the proxy than it was shown for", async () => {
    const { id } = await create({ proxy: "http://me:first@127.0.0.1:3128" });
    const request = (login: string) => ({
      ids: [id],
      change: { proxy: `http://${login}@127.0.0.1:3128` },
    });
    const planned = await bulk(request("me:second"));

    const refused = await bulk({
      ...request("me:third"),
      plan: planned.data["plan"],
      apply: true,
    });
    const made = await bulk({ ...request("me:second"), plan: planned.data["plan"], apply: true });

    expect([refused.status, made.status]).toEqual([409, 200]);
    expect(await changesOf(request("me:second"))).toEqual([{}]);
    expect(await changesOf(request("me:third"))).toMatchObject([{ proxy: {} }]);
  });

  test("enables and disables channels by their ids, and names mistakes", async () => {
    const { id, name } = await create({ tags: ["old"] });
    const ids = [id];

    const off = await bulk({ ids, change: { status: 2 }, remove_tags: ["old"], apply: true });
    const refused = (await ask(name)).status;
    const on = await bulk({ ids, change: { status: 1 }, apply: true });

    expect([off.status, refused, on.status, (await ask(name)).status]).toEqual([
      200, 404, 200, 200,
    ]);
    expect((await root("GET", `/api/channel/${id}`)).data["tags"]).toEqual([]);
    const mistakes = [
      { change: {} },
      { ids, tag: "x", change: {} },
      { ids, change: { weight: 0 } },
      { ids, change: { api_key: "x".repeat(20) } },
    ];
    for (const body of mistakes) expect((await bulk(body)).status).toBe(400);
    expect((await bulk({ ids: [99_999], change: {} })).status).toBe(404);
  });

  test("is tested by label, and the report can be limited to one result", async () => {
    await create({ tags: ["probed"] });
    await create({ tags: ["probed"], base_url: "http://127.0.0.1:1/v1" });
    const test = async (only: string) => {
      const { data } = await root("POST", "/api/channel/test", { tag: "probed", only });
      const items = data["items"] as { ok: boolean }[];
      return [data["tested"], data["failed"], items.map(({ ok }) => ok)];
    };

    expect(await test("passed")).toEqual([2, 1, [true]]);
    expect(await test("failed")).toEqual([2, 1, [false]]);
    expect(await test("not_tested")).toEqual([2, 1, []]);
  });
});

describe("a channel that is not stored yet", () => {
  const draft = (more: object = {}) => ({
    provider: "openai",
    base_url: `${sandbox.url}/openai/v1`,
    api_key: "the-key-of-a-draft-sandstone",
    ...more,
  });
  const tryOut = (body: object) => root("POST", "/api/channel/draft-test", body);

  test("is tested, and its vendor's models are shown with price and date", async () => {
    const before = (await root("GET", "/api/channel")).data["items"] as object[];

    const { data } = await tryOut(draft({ test_model: "gpt-4o-mini" }));

    expect(data).toMatchObject({ ok: true, probes: [{ ok: true }, { ok: true }] });
    const models = data["models"] as { id: string; price: object | null }[];
    expect(models).toHaveLength(Number(data["models_total"]));
    expect(models.find(({ id }) => id === "gpt-4o-mini")).toMatchObject({
      kind: "chat",
      price: { input: 0.15, date: expect.stringMatching(/^20\d\d-/), source: expect.any(String) },
    });
    const after = (await root("GET", "/api/channel")).data["items"] as object[];
    expect(after).toHaveLength(before.length);
    const audit = JSON.stringify((await root("GET", "/api/audit")).data);
    expect(audit).toContain("POST /api/channel/draft-test");
    expect(audit).not.toContain("sandstone");
  });

  test("that fails says why, and shows no models", async () => {
    const { data } = await tryOut(draft({ base_url: "http://127.0.0.1:1/v1" }));

    expect(data).toMatchObject({
      ok: false,
      models: [],
      probes: [{ fault: "upstream_unreachable" }],
    });
    expect((await tryOut({ provider: "openai" })).status).toBe(400);
  });
});

test("a stored channel is addressed by its name as well as by its id", async () => {
  const { name, id } = await create({ tags: ["named"] });
  const at = `/api/channel/${name}`;

  const shown = await root("GET", at);
  const changed = await root("PUT", at, { notes: "changed" });
  const tested = await root("POST", `${at}/test`, {});
  const copied = await root("POST", `${at}/copy`, { name: `${name}-copy` });
  const history = await root("GET", `${at}/history`);
  const deleted = await root("DELETE", `${at}-copy`);

  expect(shown.data).toMatchObject({ id, name });
  expect(changed.data).toMatchObject({ id, notes: "changed" });
  expect([tested, copied, history, deleted].map(({ status }) => status)).toEqual(
    Array(4).fill(200),
  );
  expect((await root("GET", `${at}-copy`)).status).toBe(404);
  expect((await root("GET", `/api/channel/${id}`)).status).toBe(200);
});

test("headers and parameters that read as JSON stay text, also after other changes", async () => {
  const given = {
    headers: { set: { "x-count": "1", "x-on": "true" } },
    query: { default: { "api-version": "2024", quoted: '"a"' } },
    body: { set: { user: '"7"' }, default: { seed: "8" } },
  };
  const { name, id, data } = await create(given);
  for (const notes of ["one", "two"]) await root("PUT", `/api/channel/${id}`, { notes });
  const after = await root("GET", `/api/channel/${id}`);
  await ask(name);

  const { body, ...texts } = given;
  expect(data).toMatchObject(texts);
  expect(after.data).toMatchObject({ ...texts, body: { set: body.set, default: { seed: 8 } } });
  const sent = sandbox.requests.at(-1);
  expect(sent?.headers).toMatchObject({ "x-count": "1", "x-on": "true" });
  expect(sent?.body).toMatchObject({ user: "7", seed: 8 });
});

test("only root may name a proxy in a private network, and none may name one of the host", async () => {
  const admin = await asUser(opened.url, "an-admin", "admin");
  const body = { name: "proxied", provider: "openai", api_key: "x".repeat(30), models: ["m"] };

  const inside = await admin("POST", "/api/channel", { ...body, proxy: "socks5://10.0.0.1:1080" });
  const host = await root("POST", "/api/channel", { ...body, proxy: "http://169.254.169.254" });

  expect([inside.status, textIn(inside.body, "message")]).toEqual([
    403,
    "'proxy' leads into a private network; only root may open that.",
  ]);
  expect(host.status).toBe(400);
});

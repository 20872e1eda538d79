import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import {
  asRoot,
  askWith,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "gpt-4o-mini";

/** What the scripted upstream says that each of its answers used. */
const USAGE = {
  prompt_tokens: 1_000,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens: 101,
  completion_tokens_details: { reasoning_tokens: 61 },
  total_tokens: 1_101,
};

let main: Sandbox;
let spare: Sandbox;
let metered: Bun.Server<undefined>;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  main = await startSandbox();
  spare = await startSandbox();
  metered = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answerMetered });
  opened = await openWithRoot({
    yaml: `
channels:
${simulatedChannel("main", main.url, `models: [${MODEL}, gpt-4o]`)}
${simulatedChannel("spare", spare.url, `models: [${MODEL}, gpt-4.1]\npriority: 1`)}
${simulatedChannel("metered", `http://127.0.0.1:${metered.port}`, "models: [counted, o3-mini]")}
models:
  counted: { input: 1.1, output: 4.4, cached_input: 0.55, max_output: 1000 }
  o3-mini: { input: 1.1, output: 4.4, cached_input: 0.55 }
`,
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await Promise.all([main.stop(), spare.stop(), metered.stop(true)]);
});

async function answerMetered(request: Request): Promise<Response> {
  const { stream = false, model } = (await request.json()) as { stream?: boolean; model: string };
  const head = { id: "x", created: 1, model };
  if (!stream) {
    const message = { role: "assistant", content: "pong" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ ...head, object: "chat.completion", choices, usage: USAGE });
  }
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
  const delta = { role: "assistant", content: "pong" };
  const text =
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }) +
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
    chunk({ choices: [], usage: USAGE });
  return new Response(`${text}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

let made = 0;

async function makeGroup(fields: object = {}): Promise<number> {
  const { status, data } = await root("POST", "/api/group", { name: `group ${made++}`, ...fields });
  expect(status).toBe(200);
  return Number(data["id"]);
}

interface Member {
  readonly id: number;
  readonly key: string;
  readonly ask: Ask;
}

async function makeMember(groupId: number | null, token: object = {}): Promise<Member> {
  const username = `member-${made++}`;
  const fields = { username, password: PASSWORD, group_id: groupId };
  const { status, data } = await root("POST", "/api/user", fields);
  expect(status).toBe(200);
  const ask = askWith(opened.url, await logIn(opened.url, { username, password: PASSWORD }));
  const { data: own } = await ask("POST", "/api/token", { name: "own", ...token });
  return { id: Number(data["id"]), key: textIn(own, "key"), ask };
}

function call({ key }: Member, model = MODEL, more: object = {}): Promise<Response> {
  const body = { model, max_tokens: 20, messages: [{ role: "user", content: "hi" }], ...more };
  return opened.post("/v1/chat/completions", body, bearer(key));
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.arrayBuffer();
  return response.status;
}

async function modelsOf({ key }: Member): Promise<readonly string[]> {
  const response = await fetch(`${opened.url}/v1/models`, { headers: bearer(key) });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

/** In nano-dollars, of a user's only call, once it is settled. */
async function chargedTo({ id }: Member): Promise<number> {
  using books = openBooks(opened.dataDir);
  const own = () => books.calls().filter((each) => each["user_id"] === id);
  await waitFor(() => own().length === 1);
  expect(await books.whenSettled()).toEqual([]);
  return Number(own()[0]?.["cost"]);
}

describe("a group", () => {
  test("keeps the values it was created with, and accepts them back as shown", async () => {
    const fields = {
      name: "all of it",
      models: ["gpt-4o-mini", "claude-*"],
      channels: ["main", "spare"],
      price_factor: "1.125",
      prices: {
        fast: {
          input: 0.15,
          output: 0.6,
          cached_input: 0.075,
          variants: [
            { when: { service_tier: ["flex", "batch"] }, factor: 0.5 },
            { when: { above_input_tokens: 1_000 }, input: 0.3, output: 0.9 },
          ],
        },
      },
      rpm: 1,
      tpm: 2,
      concurrency: 3,
      shared_rpm: 4,
      shared_tpm: 5,
      shared_concurrency: 6,
    };
    const { data } = await root("POST", "/api/group", fields);
    const path = `/api/group/${Number(data["id"])}`;

    const shown = await root("GET", path);
    const again = await root("PUT", path, { ...shown.data, rpm: null });

    expect(shown.data).toMatchObject(fields);
    expect(again.data).toEqual({ ...shown.data, rpm: null });
    expect((await root("GET", "/api/group")).data["items"]).toContainEqual(again.data);
  });

  test("has no restrictions by default", async () => {
    const id = await makeGroup();

    expect((await root("GET", `/api/group/${id}`)).data).toMatchObject({
      models: null,
      channels: null,
      price_factor: "1",
      prices: {},
      rpm: null,
      shared_concurrency: null,
    });
  });

  test("can be read by auditors and changed by admins", async () => {
    const id = await makeGroup();
    const { ask: user } = await makeMember(id);

    expect((await user("GET", "/api/group")).status).toBe(403);
    expect((await user("PUT", `/api/group/${id}`, { price_factor: 0 })).status).toBe(403);
    expect((await user("GET", "/api/user/self")).data["group_id"]).toBe(id);
  });

  test("is deleted only if it has no users", async () => {
    const id = await makeGroup();
    const member = await makeMember(id);

    const refused = await root("DELETE", `/api/group/${id}`);
    await root("PUT", `/api/user/${member.id}`, { group_id: null });
    const deleted = await root("DELETE", `/api/group/${id}`);

    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("The group has users");
    expect(deleted.status).toBe(200);
    expect((await root("GET", `/api/group/${id}`)).status).toBe(404);
    expect((await root("DELETE", `/api/group/${id}`)).status).toBe(404);
    expect((await root("PUT", `/api/user/${member.id}`, { group_id: id })).status).toBe(400);
  });

  test.each([
    [{ name: " padded" }],
    [{ name: null }],
    [{ models: ["a*b"] }],
    [{ models: [] }],
    [{ channels: ["no such name"] }],
    [{ price_factor: -1 }],
    [{ price_factor: 100.001 }],
    [{ price_factor: "0.0001" }],
    [{ price_factor: "much" }],
    [{ prices: { m: { input: 1 } } }],
    [{ prices: { m: { input: 1, output: 1e-7 } } }],
    [{ prices: { m: { input: 1, output: 100_001 } } }],
    [{ prices: { m: { input: 1, output: 2, cached: 3 } } }],
    [{ prices: { m: { input: 1, output: 2, toString: 3 } } }],
    [{ prices: { "m*": { input: 1, output: 2 } } }],
    [{ prices: { m: 5 } }],
    [{ prices: { m: null } }],
    [{ prices: [] }],
    [{ prices: { m: { variants: [{ when: { speed: "fast" }, factor: 2 }] } } }],
    [{ prices: { m: { input: 1, output: 2, variants: [] } } }],
    [{ prices: { m: { input: 1, output: 2, variants: [{ when: {}, factor: 2 }] } } }],
    [{ prices: { m: { input: 1, output: 2, variants: [{ when: { speed: "fast" } }] } } }],
    [{ prices: { m: { input: 1, output: 2, variants: [{ when: { hours: "9-5" }, factor: 2 }] } } }],
    [{ rpm: 0 }],
    [{ shared_tpm: "many" }],
    [{ factor: 2 }],
  ])("%j as a group is refused", async (fields) => {
    const { status, body } = await root("POST", "/api/group", { name: "bad", ...fields });

    expect({ status, success: body.success }).toEqual({ status: 400, success: false });
  });
});

describe("a user of a group", () => {
  test("can list and use the models that both the key and the group allow", async () => {
    const id = await makeGroup({ models: ["gpt-4o*"] });
    const any = await makeMember(id);
    const some = await makeMember(id, { models: ["gpt-4.1", "gpt-4o"] });

    expect(await modelsOf(any)).toEqual(["gpt-4o", MODEL]);
    expect(await modelsOf(some)).toEqual(["gpt-4o"]);
    expect(await statusOf(call(any))).toBe(200);
    expect(await statusOf(call(any, "gpt-4.1"))).toBe(404);
    expect(await statusOf(call(some, "gpt-4.1"))).toBe(404);
    expect(await statusOf(call(some))).toBe(404);
    const counting = (model: string) =>
      opened.post(
        "/v1/messages/count_tokens",
        { model, messages: [{ role: "user", content: "hi" }] },
        bearer(any.key),
      );
    expect(await statusOf(counting(MODEL))).toBe(200);
    expect(await statusOf(counting("gpt-4.1"))).toBe(404);
  });

  test("gets the same error for a model of another channel as for an unknown one", async () => {
    const member = await makeMember(await makeGroup({ channels: ["spare"] }));

    const there = (await (await call(member, "gpt-4o")).json()) as { error: { message: string } };
    const nowhere = (await (await call(member, "gpt-9")).json()) as { error: { message: string } };

    expect(there.error.message.replace("gpt-4o", "gpt-9")).toBe(nowhere.error.message);
    expect(await modelsOf(member)).toEqual(["gpt-4.1", MODEL]);
  });

  test("uses only the group's channels, even if they fail", async () => {
    const member = await makeMember(await makeGroup({ channels: ["spare"] }));
    const before = [main.requests.length, spare.requests.length];
    const failing = { messages: [{ role: "user", content: "[[fault:status code=500]]" }] };

    expect(await statusOf(call(member))).toBe(200);
    expect(await statusOf(call(member, MODEL, failing))).toBe(502);

    expect(main.requests.length - (before[0] ?? 0)).toBe(0);
    expect(spare.requests.length - (before[1] ?? 0)).toBe(2);
  });

  test("moves to another group at once", async () => {
    const first = await makeGroup({ models: ["gpt-4o"] });
    const second = await makeGroup({ models: [MODEL] });
    const member = await makeMember(first);
    expect(await statusOf(call(member))).toBe(404);

    await root("PUT", `/api/user/${member.id}`, { group_id: second });
    expect([await statusOf(call(member)), await statusOf(call(member, "gpt-4o"))]).toEqual([
      200, 404,
    ]);

    await root("PUT", `/api/group/${second}`, { models: ["gpt-4o"] });
    expect([await statusOf(call(member)), await statusOf(call(member, "gpt-4o"))]).toEqual([
      404, 200,
    ]);

    await root("PUT", `/api/user/${member.id}`, { group_id: null });
    expect(await statusOf(call(member))).toBe(200);
  });
});

describe.each([false, true])("the cost of a call (stream: %p)", (stream) => {
  // 600 plain tokens in, 400 cached, 101 out, of which reasoning is a part: $1.1, $0.55, $4.4 a million.
  const USUAL = 600 * 1_100 + 400 * 550 + 101 * 4_400;

  test.each([
    ["without a group", null, USUAL],
    ["by the usual factor", {}, USUAL],
    ["by a factor", { price_factor: "1.5" }, USUAL * 1.5],
    ["by a factor that leaves parts of a nano-dollar", { price_factor: 0.333 }, 441_026],
    ["by a factor of nothing", { price_factor: 0 }, 0],
    [
      "by the group's own price, with any factor",
      {
        price_factor: 7,
        prices: { counted: { input: "0.000123", output: 10, cached_input: 0.5 } },
      },
      1_210_074,
    ],
    [
      "by the group's own price, without one for cached input",
      { prices: { counted: { input: 2, output: 10 } } },
      1_000 * 2_000 + 101 * 10_000,
    ],
    [
      "by the group's own price, which is another for long inputs",
      {
        prices: {
          counted: {
            input: 2,
            output: 10,
            variants: [
              { when: { above_input_tokens: 999 }, input: 3, output: 20 },
              { when: { above_input_tokens: 1_000 }, factor: 9 },
              { when: { until: "2020-01-01" }, factor: 9 },
              { when: { from: "2020-01-01" }, factor: "0.5" },
            ],
          },
        },
      },
      (1_000 * 3_000 + 101 * 20_000) / 2,
    ],
    [
      "by the group's own price, in which tokens are free and something else is not",
      { prices: { counted: { image: 0.04, grades: { "4K": { image: "0.24" } } } } },
      0,
    ],
    [
      "by the normal price if the group's own is another model's",
      { prices: { other: { input: 0, output: 0 } } },
      USUAL,
    ],
  ])("%s is exact", async (_, fields, expected) => {
    const member = await makeMember(fields === null ? null : await makeGroup(fields));

    const status = await statusOf(
      call(member, "counted", { stream, stream_options: { include_usage: true } }),
    );

    expect(status).toBe(200);
    expect(await chargedTo(member)).toBe(expected);
  });
});

test("a model name with a suffix has the group's price of the model", async () => {
  const prices = { "o3-mini": { input: 2, output: 10 } };
  const member = await makeMember(await makeGroup({ prices }));

  expect(await statusOf(call(member, "o3-mini-high"))).toBe(200);

  expect(await chargedTo(member)).toBe(1_000 * 2_000 + 101 * 10_000);
});

test("the reservation uses the group's price: an insufficient quota is refused at once", async () => {
  const dear = await makeGroup({ price_factor: 100 });
  const member = await makeMember(dear, { quota_usd: "0.005" });

  const refused = await statusOf(call(member, "counted"));
  await root("PUT", `/api/group/${dear}`, { price_factor: 1 });
  const served = await statusOf(call(member, "counted"));

  expect([refused, served]).toEqual([402, 200]);
});

test("an explanation has the price and the channels of the user's group", async () => {
  const group = { price_factor: "2", channels: ["metered"], models: ["counted"] };
  const member = await makeMember(await makeGroup({ name: "explained", ...group }));
  const explain = async (model: string) => {
    const body = { model, messages: [{ role: "user", content: "hi" }] };
    const path = "/v1/chat/completions";
    const answer = await opened.post("/api/explain", { path, body }, bearer(member.key));
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  };

  const { channels } = await explain("counted");
  const hidden = await explain("gpt-4o");

  expect(channels).toMatchObject([
    { name: "metered", price: { input: 2.2, output: 8.8, cached_input: 1.1 } },
  ]);
  expect(JSON.stringify(channels)).toContain("times 2 for the group 'explained'");
  expect(hidden).toMatchObject({ channels: [], refused: { code: "model_not_found" } });
});

describe("limits of a group", () => {
  test("that are shared apply to its users together, and to no other users", async () => {
    const group = await makeGroup({ shared_rpm: 3 });
    const [ada, bob, other] = [
      await makeMember(group),
      await makeMember(group),
      await makeMember(null),
    ];

    const statuses = [];
    for (const each of [ada, bob, ada, bob, other]) statuses.push(await statusOf(call(each)));
    const refused = await call(ada);

    expect(statuses).toEqual([200, 200, 200, 429, 200]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(15, 22);
    expect(await refused.text()).toContain("account's group is at its limit of 3 requests");
    expect([...refused.headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
  });

  test("that are per user apply to each of them alone", async () => {
    const group = await makeGroup({ rpm: 2 });
    const [ada, bob] = [await makeMember(group), await makeMember(group)];

    const statuses = [];
    for (const each of [ada, ada, ada, bob]) statuses.push(await statusOf(call(each)));

    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  test("[A8] on concurrent calls are shared by two users", async () => {
    const group = await makeGroup({ shared_concurrency: 3 });
    const users = [await makeMember(group), await makeMember(group)];
    const slow = { messages: [{ role: "user", content: "hi [[fault:slow first_ms=400]]" }] };

    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        const member = users[i % 2];
        if (member === undefined) throw new Error("There are two users.");
        return statusOf(call(member, MODEL, slow));
      }),
    );

    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  test("replace the limits of every user if the group sets them", async () => {
    await using strict = await openWithRoot({ env: { SLUICE_USER_RPM: "1" } });
    const ask = await asRoot(strict.url);
    const { data: group } = await ask("POST", "/api/group", { name: "fast", rpm: 3 });
    const statuses = [];
    for (const groupId of [null, Number(group["id"])]) {
      const username = `user-${groupId}`;
      await ask("POST", "/api/user", { username, password: PASSWORD, group_id: groupId });
      const user = askWith(strict.url, await logIn(strict.url, { username, password: PASSWORD }));
      const { data } = await user("POST", "/api/token", { name: "own" });
      const body = { model: MODEL, messages: [{ role: "user", content: "hi" }] };
      for (let i = 0; i < 2; i++) {
        const answer = strict.post("/v1/chat/completions", body, bearer(textIn(data, "key")));
        statuses.push(await statusOf(answer));
      }
    }

    expect(statuses).toEqual([200, 429, 200, 200]);
  });
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on one PostgreSQL", () => {
  test("changes of a group or its users on one gateway soon apply on another", async () => {
    await using database = await openScratchDatabase();
    const env = {
      DATABASE_URL: database.url,
      SLUICE_SECRET: "one-secret-for-all-gateways-0123456789",
    };
    const yaml = "sandbox: on";
    await using first = await openWithRoot({ env, yaml });
    await using second = await openWithRoot({ env, yaml });
    const ask = await asRoot(first.url);
    const { data: group } = await ask("POST", "/api/group", { name: "g", models: [MODEL] });
    const fields = { username: "ada", password: PASSWORD, group_id: Number(group["id"]) };
    const { data: user } = await ask("POST", "/api/user", fields);
    const ada = askWith(first.url, await logIn(first.url, { username: "ada", password: PASSWORD }));
    const { data: token } = await ada("POST", "/api/token", { name: "own" });
    const listed = async (): Promise<number> => {
      const headers = bearer(textIn(token, "key"));
      const answer = await fetch(`${second.url}/v1/models`, { headers });
      return ((await answer.json()) as { data: unknown[] }).data.length;
    };
    expect(await listed()).toBe(1);

    await ask("PUT", `/api/group/${Number(group["id"])}`, { models: ["gpt-4o", MODEL] });
    await waitFor(async () => (await listed()) === 2);
    await ask("PUT", `/api/user/${Number(user["id"])}`, { group_id: null });
    await waitFor(async () => (await listed()) > 2);
  }, 30_000);
});

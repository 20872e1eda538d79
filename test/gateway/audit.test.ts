import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isAudited } from "#http/audit.ts";
import { ROUTES } from "#http/registry.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  ROOT,
  tokenOf,
  type Ask,
} from "#test/accounts.ts";
import { openGatewayDatabase, writeWhenFree } from "#test/gateway-database.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let root: Ask;
let auditor: Ask;
beforeAll(async () => {
  opened = await openWithRoot();
  root = await asRoot(opened.url);
  auditor = await asUser(opened.url, "watcher", "auditor");
});
afterAll(() => opened[Symbol.asyncDispose]());

async function rows(query = ""): Promise<readonly JsonObject[]> {
  const { status, data } = await auditor("GET", `/api/audit?page_size=100&${query}`);
  expect(status).toBe(200);
  return data["items"] as JsonObject[];
}

/** What came of the latest request with an action, in the order in which it was written. */
async function latest(action: string): Promise<readonly JsonObject[]> {
  const found = await rows(`action=${encodeURIComponent(action)}`);
  return found.filter((row) => row["request_id"] === found[0]?.["request_id"]).toReversed();
}

describe("the audit log", () => {
  test("records before and after every change its author, its action and its object", async () => {
    const { data } = await root("POST", "/api/token", { name: "made", rpm: 5 });
    await root("PUT", `/api/token/${Number(data["id"])}`, { status: 2 }, { "user-agent": "curl" });

    const [asked, done] = await latest("PUT /api/token/:id");
    expect(asked).toMatchObject({
      actor_id: 1,
      actor: "root",
      role: "root",
      proof: "session",
      address: "127.0.0.1",
      user_agent: "curl",
      object: { id: `${Number(data["id"])}` },
      details: { status: 2 },
      outcome: "asked",
      status: null,
    });
    expect(done).toMatchObject({ actor_id: 1, outcome: "done", status: 200 });
    expect((await latest("POST /api/token"))[0]).toMatchObject({
      details: { name: "made", rpm: 5 },
    });
  });

  test("records refused requests, and the reason", async () => {
    const { status } = await root("PUT", "/api/user/4711", { display_name: "x" });

    expect(status).toBe(404);
    expect(await latest("PUT /api/user/:id")).toMatchObject([
      { outcome: "asked", object: { id: "4711" }, details: { display_name: "x" } },
      { outcome: "refused", status: 404, details: { fault: "not_found" } },
    ]);
  });

  test("records every login, and every failed one", async () => {
    const ask = askWith(opened.url);
    await ask("POST", "/api/user/login", { username: "watcher", password: "hunter2-hunter2" });
    const [tried, failed] = await latest("POST /api/user/login");
    await logIn(opened.url, { username: "watcher", password: PASSWORD });
    const [, done] = await latest("POST /api/user/login");

    expect(tried).toMatchObject({
      actor: null,
      proof: "none",
      details: { username: "watcher", password: "[secret]" },
    });
    expect(failed).toMatchObject({ actor: null, outcome: "refused", status: 401 });
    expect(done).toMatchObject({ actor: "watcher", proof: "password", outcome: "done" });
  });

  test("records the set-up", async () => {
    await using fresh = await openTestGateway({ yaml: "sandbox: auto" });
    const token = fresh.gateway.setupToken ?? "";
    const ask = askWith(fresh.url);
    await ask("POST", "/api/user/setup", { token, ...ROOT });

    const { data } = await askWith(fresh.url, await logIn(fresh.url, ROOT))("GET", "/api/audit");
    const text = JSON.stringify(data);
    expect(data["items"]).toContainEqual(
      expect.objectContaining({ actor: "root", proof: "setup_token", outcome: "done" }),
    );
    expect(text).not.toContain(token);
    expect(text).not.toContain(ROOT.password);
  });

  test("records refused users and requests, by role, by page and by an invalid token", async () => {
    const plain = await asUser(opened.url, "plain");
    const session = await logIn(opened.url, ROOT);
    await plain("GET", "/api/audit");
    await askWith(opened.url, bearer("slc-user_nobody"))("GET", "/api/audit/head");
    await askWith(opened.url, { ...session, "sec-fetch-site": "cross-site" })("POST", "/api/user", {
      username: "forged",
    });
    await askWith(opened.url)("GET", "/api/audit/verify");

    expect(await latest("GET /api/audit")).toMatchObject([
      { actor: "plain", proof: "token", outcome: "refused", status: 403 },
    ]);
    expect(await latest("GET /api/audit/head")).toMatchObject([
      { actor: null, proof: "none", outcome: "refused", status: 401 },
    ]);
    expect(await latest("POST /api/user")).toMatchObject([
      {
        actor: "root",
        proof: "session",
        outcome: "refused",
        status: 403,
        details: { fault: "forbidden" },
      },
    ]);
    // Whoever shows nothing was not kept from anything.
    expect(await latest("GET /api/audit/verify")).toEqual([]);
  });

  test("keeps only the beginning of a long path, for any client", async () => {
    const nobody = askWith(opened.url, bearer("slc-user_nobody"));
    await nobody("DELETE", `/api/model/${"x".repeat(10_000)}`);

    const [row] = await latest("DELETE /api/model/:name{.+}");

    expect(row).toMatchObject({
      outcome: "refused",
      object: { name: expect.stringMatching(/^x+\[cut\]$/) },
    });
    expect(JSON.stringify(row).length).toBeLessThan(1_500);
  });

  test("contains no secret, in any field of a request", async () => {
    const secret = "hunter2-hunter2-hunter2";
    await root("POST", "/api/user", { username: "eve", password: secret });
    await root("POST", "/api/user", { username: "eve2", pasword: secret });
    await root("PUT", "/api/user/self", { password: { is: secret }, current_password: secret });
    await opened.post("/api/token", `{"name": "${secret}`, await logIn(opened.url, ROOT));
    const token = await tokenOf(opened.url, "eve3");

    const text = JSON.stringify(await rows());
    for (const each of [secret, token, KEY, ROOT.password]) expect(text).not.toContain(each);
    expect(text).toContain('"pasword":"[secret]"');
  });

  test("is filtered by user, by action and by time", async () => {
    const [head] = await rows();
    const of = await rows("actor=1");
    const after = await rows(`since=${Number(head?.["created_at"]) + 60}`);
    const before = await rows(`before=${Number(head?.["seq"])}`);

    expect(new Set(of.map((row) => row["actor"]))).toEqual(new Set(["root"]));
    expect(after).toEqual([]);
    expect(before[0]).toMatchObject({ seq: Number(head?.["seq"]) - 1 });
    for (const query of ["since=yesterday", "actor=x", "page_size=0", "before=0"]) {
      expect((await auditor("GET", `/api/audit?${query}`)).status).toBe(400);
    }
    expect(
      (await asUser(opened.url, "curious").then((ask) => ask("GET", "/api/audit"))).status,
    ).toBe(403);
  });

  test("contains no calls of models", async () => {
    const before = (await auditor("GET", "/api/audit/head")).data["seq"];
    await opened.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "hi" }],
    });
    await opened.post("/v1/chat/completions", {}, bearer("not-a-key-at-all-0123456789"));

    expect((await auditor("GET", "/api/audit/head")).data["seq"]).toBe(before);
  });

  test("no action runs if its row cannot be written", async () => {
    await using small = await openWithRoot();
    const ask = await asRoot(small.url);
    using db = openGatewayDatabase(small.dataDir);
    await writeWhenFree(
      db,
      (each) =>
        void each.run(
          "create trigger full before insert on audit begin select raise(abort, 'full'); end",
        ),
    );

    const refused = await ask("POST", "/api/token", { name: "unseen" });
    await writeWhenFree(db, (each) => void each.run("drop trigger full"));

    expect(refused).toMatchObject({ status: 503, body: { success: false } });
    expect(JSON.stringify((await ask("GET", "/api/token")).data)).not.toContain("unseen");
  });

  test("a completed action is answered even if its second row cannot be written", async () => {
    await using small = await openWithRoot();
    const ask = await asRoot(small.url);
    using db = openGatewayDatabase(small.dataDir);
    await writeWhenFree(db, (each) => {
      each.run(`create trigger full before insert on audit when new.outcome <> 'asked'
       begin select raise(abort, 'full'); end`);
    });

    const { status } = await ask("POST", "/api/token", { name: "seen" });
    await writeWhenFree(db, (each) => void each.run("drop trigger full"));

    expect(status).toBe(200);
    const { data } = await ask("GET", "/api/audit");
    expect(data["items"]).toMatchObject([{ action: "POST /api/token", outcome: "asked" }, {}, {}]);
  });

  test("many failed logins are recorded as sampled rows and a count of the rest", async () => {
    // However long it takes here, it is all in one minute.
    const clock = { now: () => Date.now(), monotonic: () => performance.now() / 1_000 };
    await using flooded = await openWithRoot({ clock });
    const ask = askWith(flooded.url);
    for (let i = 0; i < 130; i++) {
      await ask("POST", "/api/user/login", { username: `u${i}`, password: "wrong" });
    }
    await flooded.gateway.close();

    using db = new Database(join(flooded.dataDir, "sluice.db"), { readonly: true });
    const all = db
      .query<Record<string, Json>, []>("select action, outcome, details from audit order by seq")
      .all();
    expect(all.filter((row) => row["outcome"] === "asked")).toHaveLength(100);
    expect(all.at(-1)).toEqual({
      action: "(more refusals)",
      outcome: "refused",
      details: '{"count":30}',
    });
  });

  test("is verified page by page, and a changed row is named", async () => {
    await using forged = await openWithRoot();
    const ask = await asRoot(forged.url);
    for (let i = 0; i < 4; i++) await ask("POST", "/api/token", { name: `t${i}` });
    const good = await ask("GET", "/api/audit/verify");
    const head = await ask("GET", "/api/audit/head");
    using db = openGatewayDatabase(forged.dataDir);
    await writeWhenFree(db, (each) => {
      each.run("drop trigger if exists audit_no_update");
      each.run("update audit set actor = 'mallory' where seq = 5");
    });

    const bad = await ask("GET", "/api/audit/verify?after_seq=3");

    expect(good.data).toEqual({
      verified_to: head.data["seq"],
      digest: head.data["digest"],
      is_end: true,
      broken: null,
    });
    expect(bad.data).toMatchObject({
      verified_to: 4,
      is_end: false,
      broken: { seq: 5, problem: "was changed" },
    });
  });
});

describe("[A5-3] secrets in the registry", () => {
  const audited = ROUTES.filter(isAudited);
  const LOOKS_SECRET = /pass|secret|token$|key$|code|credential|authorization|cookie/i;

  test("every field whose name looks like a secret is marked as one", () => {
    const unmarked = audited.flatMap(({ method, path, requestSchema }) =>
      textsIn(requestSchema?.() ?? {})
        .filter(([name, schema]) => LOOKS_SECRET.test(name) && schema["writeOnly"] !== true)
        .map(([name]) => `${method} ${path}: ${name}`),
    );

    expect(unmarked).toEqual([]);
  });

  test("every kind of login and every change is in the audit log", () => {
    expect(audited.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(["POST /api/user/login", "POST /api/user/setup", "PUT /api/user/:id"]),
    );
  });
});

/** Every text of a schema, with the name of the field it is the value of. */
function textsIn(schema: Json | undefined, name = ""): readonly (readonly [string, JsonObject])[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => textsIn(each, name));
  if (!isObject(schema)) return [];
  if (schema["type"] === "string" || schema["writeOnly"] === true) return [[name, schema]];
  const { properties, anyOf, items, additionalProperties } = schema;
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([each, value]) =>
      textsIn(value, each),
    ),
    ...[anyOf, items, additionalProperties].flatMap((each) => textsIn(each, name)),
  ];
}

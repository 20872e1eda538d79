import { describe, expect, test } from "bun:test";
import { connectToServer } from "#cli/client.ts";
import { channels } from "#cli/channels.ts";
import { runNoun } from "#cli/run.ts";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, openWithRoot, textIn, tokenOf, type Ask } from "#test/accounts.ts";
import { bearer } from "#test/accounts.ts";
import { simulatedChannel } from "#test/harness.ts";
import { CUT, openScriptedVendor } from "#test/scripted-vendor.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

/** An ill upstream of each kind, the model that only it serves, and the words for it. */
const ILLS = [
  ["refusing", "gpt-4o", "refused", /refused since 20.*the key is not ours.*HTTP 401/i],
  ["broken", "gpt-4.1", "failing", /failing: 1 of 1 attempts failed.*The boiler is out.*HTTP 500/],
  ["cut", "gpt-4.1-mini", "failing", /failing: .*(ended|broke|incomplete|closed)/i],
  ["page", "gpt-4.1-nano", "failing", /failing: /],
  ["gone", "o3", "unreachable", /unreachable: 1 of 1 attempts failed/],
  ["late", "o4-mini", "slow", /slow, its answers come too late: 1 of 1 attempts failed/],
] as const;

describe("on SQLite", () => describeHealth(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeHealth(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeHealth(openDatabase: () => Promise<Database | undefined>): void {
  test("an ill upstream of each kind is named in plain words by the API and the command", async () => {
    await using database = await openDatabase();
    await using sandbox = await startSandbox().then((each) => ({
      url: each.url,
      [Symbol.asyncDispose]: () => each.stop(),
    }));
    await using cut = await openScriptedVendor();
    cut.play([`data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n`, CUT]);
    await using page = await openScriptedVendor();
    page.play(["<!doctype html><h1>It works!</h1>"], "text/html");
    await using late = await openScriptedVendor();
    late.play([60_000]);
    const failing = (status: number, message: string) =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => Response.json({ error: { message } }, { status }),
      });
    const refusing = failing(401, "The key is not ours.");
    const broken = failing(500, "The boiler is out.");
    const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    await gone.stop(true);
    const urls = new Map([
      ["refusing", refusing.url.origin],
      ["broken", broken.url.origin],
      ["cut", cut.url],
      ["page", page.url],
      ["gone", gone.url.origin],
      ["late", late.url],
    ]);
    const ill = ILLS.map(([name, model]) =>
      simulatedChannel(name, urls.get(name) ?? "", `models: [${model}]`),
    );
    // Another channel answers in place of the refused one.
    const well = simulatedChannel(
      "well",
      sandbox.url,
      "models: [gpt-4o-mini, gpt-4o]\npriority: 10",
    );
    await using opened = await openWithRoot({
      yaml: `limits:\n  first_byte_ms: 700\n  unary_ms: 900\nchannels:\n${[...ill, well].join("\n")}`,
      env:
        database === undefined
          ? {}
          : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
    });
    const root = await asRoot(opened.url);
    const made = await root("POST", "/api/token", { name: "any" });
    const call = async (model: string): Promise<void> => {
      const messages = [{ role: "user", content: "Hello" }];
      const body = { model, messages, stream: true };
      const answer = await opened.post(
        "/v1/chat/completions",
        body,
        bearer(textIn(made.data, "key")),
      );
      await answer.text().catch(() => "");
    };
    await Promise.all([...ILLS.map(([, model]) => call(model)), call("gpt-4o-mini")]);
    await waitFor(async () => (await healthOf(root, "well"))["text"] === "healthy");
    await waitFor(
      async () => Number(sumOf(await healthOf(root, "well"))["attempts"]) === 2,
      15_000,
    );

    for (const [name, , state, words] of ILLS) {
      const health = await healthOf(root, name);
      expect([name, health["state"], health["text"]]).toEqual([
        name,
        state,
        expect.stringMatching(words),
      ]);
    }
    const well5 = sumOf(await healthOf(root, "well"));
    expect(well5).toMatchObject({ failed: 0, success_rate: 1 });
    expect(Number(well5["first_byte_p95_ms"])).toBeGreaterThan(0);
    await waitFor(
      async () => Number((await healthOf(root, "well"))["spend_today_usd"]) > 0,
      15_000,
    );

    const { data: history } = await root("GET", "/api/channel/broken/history");
    expect(history["items"]).toMatchObject([{ attempts: 1, failed: 1, success_rate: 0 }]);
    expect((await root("GET", "/api/channel/broken/history?since=1")).status).toBe(400);

    const listed = await list(opened.url);
    for (const [name, , , words] of ILLS) {
      expect(listed.find((line) => line.includes(name))).toMatch(words);
    }
    await Promise.all([refusing.stop(true), broken.stop(true)]);
  }, 40_000);

  test("a disabled channel names the user who disabled it", async () => {
    await using database = await openDatabase();
    await using opened = await openWithRoot({
      env:
        database === undefined
          ? {}
          : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
    });
    const root = await asRoot(opened.url);
    const draft = { name: "spare", provider: "openai", api_key: "sk-spare", models: ["gpt-4o"] };
    const { data, body } = await root("POST", "/api/channel", draft);
    expect(body.message).toBe("The channel was created.");
    await root("PUT", `/api/channel/${Number(data["id"])}`, { status: 2 });

    expect(await healthOf(root, String(Number(data["id"])))).toMatchObject({
      state: "disabled",
      text: "disabled by root",
    });
  });
}

async function healthOf(root: Ask, name: string): Promise<JsonObject> {
  const { data } = await root("GET", `/api/channel/${name}`);
  return data["health"] as JsonObject;
}

function sumOf(health: JsonObject): JsonObject {
  return health["last_5_minutes"] as JsonObject;
}

/** The lines of `sluice channels list`. */
async function list(url: string): Promise<readonly string[]> {
  const token = await tokenOf(url, "operator", "admin");
  let text = "";
  const output = { write: (written: string) => (text += written) };
  const code = await runNoun(channels, ["list"], {
    input: process.stdin,
    output,
    errors: output,
    async reach() {
      const reached = await connectToServer(url, token);
      if (reached === undefined) throw new Error("Nothing listens.");
      return reached;
    },
    readLink: () => Promise.reject(new Error("Nothing is read.")),
  });
  expect(code).toBe(0);
  return text.split("\n");
}

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { asRoot, openWithRoot, type Ask } from "#test/accounts.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";

describe("on SQLite", () => describeHealth(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeHealth(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeHealth(openDatabase: () => Promise<Database | undefined>): void {
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

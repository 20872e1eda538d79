import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openLog } from "#lib/log.ts";
import { asRoot, openWithRoot } from "#test/accounts.ts";
import { openClickHouseServer } from "#test/clickhouse-server.ts";
import { openGatewayDatabase, writeWhenFree } from "#test/gateway-database.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { openS3Server } from "#test/s3-server.ts";
import { waitFor } from "#test/wait.ts";

const PASSWORD = "pass-of-the-column-store";
const S3_KEY = "the-key-of-the-bucket";
const HOUR_MS = 3_600_000;
const server = openClickHouseServer(PASSWORD);
const bucket = openS3Server(S3_KEY);
const lines: string[] = [];
/** Hours later, so that the present hour has ended. */
let aheadMs = 0;
let sandbox: Sandbox;
let gateway: TestGateway;

beforeAll(async () => {
  server.failure = "unavailable";
  sandbox = await startSandbox();
  gateway = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
    env: {
      SLUICE_JOURNAL_EXPORT: server.url,
      SLUICE_JOURNAL_PARQUET: "s3",
      S3_ENDPOINT: bucket.url,
      S3_BUCKET: "the-bucket",
      S3_ACCESS_KEY_ID: S3_KEY,
      S3_SECRET_ACCESS_KEY: "the-secret-of-the-bucket",
    },
    clock: { now: () => Date.now() + aheadMs, monotonic: () => performance.now() },
    log: openLog("debug", { write: (line: string) => void lines.push(line) }),
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});

test("calls reach ClickHouse and the bucket, and no log line has the password", async () => {
  const answer = await gateway.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Reply with exactly: pong" }],
  });
  const id = answer.headers.get("x-request-id");
  await waitFor(() => lines.some((line) => line.includes("export-journal-clickhouse")));
  server.failure = undefined;
  aheadMs = 2 * HOUR_MS;

  await waitFor(() => server.final().length > 0);
  await waitFor(() => bucket.objects.size > 0);

  expect(server.final()).toMatchObject([{ id, model: "gpt-4o-mini", channel: "sim" }]);
  const [[path, file] = []] = [...bucket.objects];
  expect(decodeURIComponent(path ?? "")).toMatch(
    /^\/the-bucket\/journal\/day=\d{4}-\d\d-\d\d\/hour=\d\d\/\d+-\d+\.parquet$/,
  );
  expect(file?.type).toBe("application/vnd.apache.parquet");
  expect(Buffer.from(file?.bytes.slice(0, 4) ?? []).toString()).toBe("PAR1");
  expect(lines.join("\n")).not.toContain(PASSWORD);
}, 60_000);

test("the API shows calls that only ClickHouse still has, and /metrics how far the export is behind", async () => {
  const [oldest] = server.final();
  await gateway.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Reply with exactly: ping" }],
  });
  await waitFor(() => server.final().length > 1);
  using database = openGatewayDatabase(gateway.dataDir);
  await writeWhenFree(database, (db) => {
    db.run("delete from calls where id = ?", [String(oldest?.["id"])]);
  });

  const root = await asRoot(gateway.url);
  const one = await root("GET", `/api/log/${String(oldest?.["id"])}`);
  expect(one.data).toMatchObject({ id: oldest?.["id"], channel: "sim", status: 200 });
  const { data } = await root("GET", "/api/log?model=gpt-4o-mini");
  expect(data["items"]).toHaveLength(2);
  expect(data["items"]).toMatchObject([{}, { id: oldest?.["id"] }]);
  const metrics = await (await gateway.get("/metrics")).text();
  expect(metrics).toContain('sluice_journal_export_lag_calls{target="clickhouse"}');
  expect(metrics).toContain('sluice_journal_export_lag_seconds{target="parquet"}');

  server.failure = "unavailable";
  const away = await root("GET", "/api/log/no-such-call");
  expect(away.status).toBe(503);
  expect(away.body.message).toContain("ClickHouse");
  expect((await root("GET", "/api/log?page_size=1")).status).toBe(200);
}, 60_000);

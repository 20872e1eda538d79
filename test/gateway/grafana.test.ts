import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "yaml";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { groupingsIn, samplesIn, select, selectorsIn } from "#test/promql.ts";
import { areCountersReachable, COUNTERS } from "#test/scratch-counters.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { waitFor } from "#test/wait.ts";

/** Prometheus has to scrape several times. */
const WITH_PROMETHEUS_MS = 60_000;
/** The simulator starts, and the gateway. */
const OPENING_MS = 30_000;
/** Labels that Prometheus adds. */
const OF_THE_SCRAPE = ["instance", "job"];

let sandbox: Sandbox;
let gateway: TestGateway;
let vendor: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  sandbox = await startSandbox();
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ error: { message: "wrong key" } }, { status: 401 }),
  });
  const env = {
    // Nothing listens there: the export stays behind.
    SLUICE_JOURNAL_EXPORT: "clickhouse://127.0.0.1:9/",
    ...(areCountersReachable ? { REDIS_URL: COUNTERS } : {}),
  };
  gateway = await openTestGateway({
    yaml: `channels:
${simulatedChannel("good", sandbox.url, "priority: 2")}
  - { name: refused, provider: openai-compatible, base_url: "http://127.0.0.1:${vendor.port}/v1", api_key: sk-refused, models: [gpt-4o], priority: 1 }
keys: [{ name: poor, key: a-key-without-money-0123456789, quota: 0 }]
`,
    env,
  });
  await load();
}, OPENING_MS);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
  await vendor.stop(true);
}, OPENING_MS);

/** Makes a call of each kind that a query counts. */
async function load(): Promise<void> {
  const ask = async (body: object, key?: string): Promise<void> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await gateway.post("/v1/chat/completions", body, headers);
    await response.text().catch(() => {});
  };
  const messages = [{ role: "user", content: "hi" }];
  const cut = [{ role: "user", content: "hi [[fault:truncate]]" }];
  await ask({ model: "gpt-4o", messages });
  await ask({ model: "gpt-4o", messages, stream: true });
  await ask({ model: "gpt-4o", messages: cut, stream: true });
  await ask({ model: "no-such-model", messages });
  await ask({ model: "gpt-4o", messages }, "a-wrong-key-0123456789abcdef");
  await ask({ model: "gpt-4o", messages }, "a-key-without-money-0123456789");
}

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

/** All queries by their titles. */
function queries(): readonly (readonly [title: string, query: string])[] {
  const dashboard = JSON.parse(readFileSync("deploy/grafana/dashboard.json", "utf8")) as Dashboard;
  const rules = parse(readFileSync("deploy/grafana/alerts.yaml", "utf8")) as Rules;
  const ofPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
  const ofAlerts = rules.groups.flatMap((group) =>
    group.rules.map(({ alert, expr }) => [alert, expr] as const),
  );
  // An alert returns nothing while its condition is false, so its left side is asked for.
  return [
    ...ofPanels,
    ...ofAlerts.map(([title, expr]) => [title, withoutCondition(expr)] as const),
  ].filter(([, query]) => areCountersReachable || !query.includes("sluice_redis_up"));
}

function withoutCondition(query: string): string {
  return query.replace(/^absent\((.*)\)$/, "$1").replace(/ (?:==|>|<) [\d.]+$/, "");
}

test("each panel and alert has a query, and all are of this gateway", () => {
  const all = queries();

  expect(all.length).toBeGreaterThan(40);
  for (const [title, query] of all) {
    const metrics = selectorsIn(query).map(({ metric }) => metric);
    expect(metrics.length, title).toBeGreaterThan(0);
    expect(
      metrics.every((metric) => metric.startsWith("sluice_")),
      title,
    ).toBe(true);
  }
});

test("each metric and label of a query exists after some calls, and has a series", async () => {
  const samples = samplesIn(await (await gateway.get("/metrics")).text());
  const wrong: string[] = [];
  for (const [title, query] of queries()) {
    const groupings = groupingsIn(query).filter((label) => !OF_THE_SCRAPE.includes(label));
    for (const selector of selectorsIn(query)) {
      const selected = select(samples, selector);
      if (selected.length === 0) wrong.push(`${title}: ${selector.metric} has no such series`);
      for (const label of groupings) {
        if (selected.some(({ labels }) => !(label in labels)))
          wrong.push(`${title}: ${selector.metric} has no label ${label}`);
      }
    }
  }

  expect(wrong).toEqual([]);
});

test(
  "Prometheus itself finds a series for each query, if it is installed",
  async () => {
    if (spawnSync("prometheus", ["--version"]).error !== undefined) {
      process.stderr.write("Prometheus is not installed: it does not run the queries.\n");
      return;
    }
    await using prometheus = await startPrometheus(gateway.url);
    const empty: string[] = [];
    for (const [title, query] of queries()) {
      const text = query.replaceAll(/\[[^\]]*\]/g, "[1m]");
      if ((await prometheus.ask(text)) === 0) empty.push(`${title}: ${text}`);
    }

    expect(empty).toEqual([]);
  },
  WITH_PROMETHEUS_MS,
);

test("Prometheus accepts the alert rules, if it is installed", () => {
  const checked = spawnSync("promtool", ["check", "rules", "deploy/grafana/alerts.yaml"], {
    encoding: "utf8",
  });
  if (checked.error !== undefined) {
    process.stderr.write("promtool is not installed: it does not check the alert rules.\n");
    return;
  }
  expect(`${checked.stdout}${checked.stderr}`).toContain("SUCCESS");
});

/** Scrapes the gateway until a rate over a minute is known. */
async function startPrometheus(target: string) {
  const folder = openScratchFolder();
  const path = join(folder.path, "prometheus.yml");
  const { host } = new URL(target);
  writeFileSync(
    path,
    `global: { scrape_interval: 500ms, scrape_timeout: 400ms }
scrape_configs: [{ job_name: sluice, static_configs: [{ targets: ["${host}"] }] }]
`,
  );
  const port = freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${path}`,
      `--storage.tsdb.path=${join(folder.path, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  const ask = async (query: string): Promise<number> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    const response = await fetch(url);
    const answer = (await response.json()) as {
      readonly status: string;
      readonly data?: { readonly result: readonly unknown[] };
    };
    if (answer.status !== "success") throw new Error(`Prometheus refuses the query ${query}.`);
    return answer.data?.result.length ?? 0;
  };
  const isReady = async (): Promise<boolean> =>
    (await ask("rate(sluice_cpu_seconds_total[1m])").catch(() => 0)) > 0;
  await waitFor(isReady, WITH_PROMETHEUS_MS / 2);
  return {
    ask,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      child.once("exit", () => resolve());
      child.kill();
      await promise;
      folder[Symbol.dispose]();
    },
  };
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

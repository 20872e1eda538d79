import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { countOpenHolds, openFleet, startLoad, wronglyCharged } from "#test/fleet.ts";
import { areCountersReachable, COUNTERS } from "#test/scratch-counters.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { IS_LONG, times } from "#test/seed.ts";
import { verifyShared } from "#test/shared-books.ts";
import { waitFor } from "#test/wait.ts";

const NGINX = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin" });
const CALLS_BETWEEN_RESTARTS = 12;
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** The example of the manual in front of instances that change. */
interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Resolves once no worker of the proxy knows other instances. */
  leadTo(urls: readonly string[]): Promise<void>;
}

describe.if(NGINX !== null && isPostgresReachable && areCountersReachable)(
  "instances behind nginx",
  () => {
    test(
      "fail no call while each in turn is taken out of the proxy and restarted",
      async () => {
        await using sandbox = await startSandbox();
        await using database = await openScratchDatabase();
        await using fleet = await openFleet({
          sandbox,
          databaseUrl: database.url,
          countersUrl: COUNTERS,
          size: 2,
          allowed: 1_000_000,
        });
        const { instances, prices } = fleet;
        const urls = (): string[] => instances.map(({ program }) => program.url);
        await using proxy = await startProxy(urls());
        const load = startLoad(() => proxy);
        const { arrived } = load;

        for (let restart = 0; restart < times(1, 50); restart++) {
          const at = restart % instances.length;
          const before = arrived.length;
          await waitFor(() => arrived.length > before + CALLS_BETWEEN_RESTARTS, 60_000);
          await proxy.leadTo(urls().filter((_, index) => index !== at));
          expect(await instances[at]?.program.end("SIGTERM")).toBe(0);
          await instances[at]?.[Symbol.asyncDispose]();
          instances[at] = await fleet.start(at);
          await proxy.leadTo(urls());
        }
        await load.end();

        expect(load.failed).toBe(0);
        expect(await countOpenHolds(database.url)).toBe(0);
        expect(await verifyShared(database.url)).toEqual([]);
        expect(await wronglyCharged(database.url, arrived, prices)).toEqual([]);
      },
      IS_LONG ? 1_800_000 : 120_000,
    );
  },
);

async function startProxy(urls: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-nginx-"));
  const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = free;
  await free.stop(true);
  const url = `http://127.0.0.1:${port}`;
  const path = join(folder, "nginx.conf");
  const write = (led: readonly string[]): void => writeFileSync(path, configFor(port ?? 0, led));
  write(urls);
  const nginx = spawn(NGINX ?? "nginx", [
    "-p",
    folder,
    "-c",
    path,
    "-e",
    join(folder, "error.log"),
  ]);
  const workers = (): string =>
    readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, "utf8").trim();
  await waitFor(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok === true);
  return {
    url,
    async leadTo(led) {
      const earlier = workers();
      write(led);
      nginx.kill("SIGHUP");
      // The earlier worker ends with its last call.
      await waitFor(() => /^\d+$/.test(workers()) && workers() !== earlier, 60_000);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configFor(port: number, urls: readonly string[]): string {
  const servers = urls.map((url) => `server ${new URL(url).host};`).join(" ");
  return readFileSync("deploy/proxies/nginx.conf", "utf8")
    .replace("server 127.0.0.1:8080;", servers)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("worker_processes auto;", "worker_processes 1; pid nginx.pid; daemon off;")
    .replace("access_log off;", TEMPORARY.map((each) => `${each}_temp_path ${each};`).join(" "));
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, test } from "bun:test";
import { waitFor } from "#test/wait.ts";
import { MARIADB } from "./mariadb.ts";
import { POSTGRES } from "./postgres.ts";
import { REDIS } from "./redis.ts";
import { findProgram, startService, type ServiceProgram } from "./service.ts";
import { startServices } from "./start.ts";

const isAll = process.env["CI"] !== undefined;

for (const program of [POSTGRES, REDIS, MARIADB]) {
  describe.if(isAll || program.find() !== undefined)(program.name, () => {
    test("two services start in parallel, listen on loopback, and leave nothing behind", async () => {
      const services = await Promise.all([startService(program), startService(program)]);
      const [first, second] = services;

      expect(new URL(first?.url ?? "").hostname).toBe("127.0.0.1");
      expect(first?.url).not.toBe(second?.url);
      for (const { url } of services) await program.ping(url);

      for (const service of services) await service[Symbol.asyncDispose]();
      for (const { url, folder, pid } of services) {
        expect(existsSync(folder)).toBe(false);
        expect(() => process.kill(pid, 0)).toThrow("ESRCH");
        const answer = await program.ping(url).then(
          () => "answers",
          () => "is gone",
        );
        expect(answer).toBe("is gone");
      }
    });
  });
}

test("a running service is used instead of a new one", async () => {
  await using services = await startServices(["TEST_DATABASE_URL"], {
    TEST_DATABASE_URL: "postgres://elsewhere/db",
  });

  expect(services.env).toEqual({});
  expect(services.missing).toEqual([]);
});

test("a server that ends at once is reported with its output", async () => {
  const program: ServiceProgram = {
    ...REDIS,
    find: () => findProgram("sh", []),
    serve: () => ["-c", "echo this port is taken >&2; exit 1"],
  };

  const message = await startService(program).then(
    () => "it started",
    (cause: unknown) => String(cause),
  );
  expect(message).toContain("this port is taken");
});

describe.if(isAll || REDIS.find() !== undefined)("a run", () => {
  test("uses another port if the first one is taken meanwhile", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    let starts = 0;
    const program: ServiceProgram = {
      ...REDIS,
      serve: (folder, free) => REDIS.serve(folder, starts++ === 0 ? port : free),
    };
    try {
      await using service = await startService(program);
      expect(starts).toBe(2);
      expect(service.url).not.toContain(`:${port}`);
    } finally {
      taken.close();
    }
  });

  test.if(process.platform === "linux")("that is killed ends its servers", async () => {
    const script = `
      import { REDIS } from "./test/services/redis.ts";
      import { startService } from "./test/services/service.ts";
      const { pid, folder } = await startService(REDIS);
      process.stdout.write(JSON.stringify({ pid, folder }) + "\\n");
      await new Promise(() => setInterval(() => {}, 1_000));`;
    const run = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(run.stdout, "data")) as [Buffer];
    const { pid, folder } = JSON.parse(line.toString()) as { pid: number; folder: string };
    try {
      process.kill(pid, 0);
      run.kill("SIGKILL");
      await waitFor(() => !isAlive(pid));
    } finally {
      run.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

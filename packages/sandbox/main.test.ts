import { expect, test } from "bun:test";

const main = new URL("./main.ts", import.meta.url).pathname;

test("the sandbox runs alone, prints its address, and ends on a signal", async () => {
  const child = Bun.spawn([process.execPath, main, "--port", "0", "--api-key", "sk-one"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).trim();
  const status = async (key: string) =>
    (await fetch(`${url}/openai/v1/models`, { headers: { authorization: `Bearer ${key}` } }))
      .status;

  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect([await status("sk-one"), await status("sk-two")]).toEqual([200, 401]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("an invalid port is refused with a message", async () => {
  const child = Bun.spawn([process.execPath, main, "--port", "many"], {
    stdout: "ignore",
    stderr: "pipe",
  });

  expect(await child.exited).toBe(2);
  expect(await new Response(child.stderr).text()).toContain("--port must be");
});

import { expect, test } from "bun:test";
import { openTestGateway } from "#test/harness.ts";

const yaml = (aliases: string) => `sandbox: auto\npath_aliases: "${aliases}"`;
const TASKS = "api/v3/contents/generations/tasks";

test("[decision 1] a protocol is served under every configured prefix", async () => {
  await using gateway = await openTestGateway({ yaml: yaml("/films=/videoa, /api/films=/videoa") });
  const statusOf = async (path: string) => (await gateway.get(path)).status;

  expect(await statusOf(`/films/${TASKS}`)).toBe(200);
  expect(await statusOf(`/api/films/${TASKS}`)).toBe(200);
  expect(await statusOf(`/videoa/${TASKS}`)).toBe(200);
  // What is said takes the place of what is shipped.
  expect(await statusOf(`/seedance/${TASKS}`)).toBe(404);
  expect(await statusOf("/v1/models")).toBe(200);
});

/** What a start that fails says. */
async function whyNot(alias: string): Promise<string> {
  try {
    await using _gateway = await openTestGateway({ yaml: yaml(alias) });
  } catch (cause) {
    return String(cause);
  }
  return "It starts.";
}

test.each(["/v1=/videoa", "/videoa=/v1", "/livez=/readyz"])(
  "the alias %s would hide paths of the gateway, so the gateway does not start",
  async (alias) => {
    expect(await whyNot(alias)).toContain("would hide paths");
  },
);

test.each(["films=/videoa", "/films", "/films=/videoa=/videob", "/films=/films", "/../x=/videoa"])(
  "%s is not a valid alias",
  async (alias) => {
    expect(await whyNot(alias)).toContain("path_aliases");
  },
);

import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { isInstalled, loadModel, PACKAGE_NAME } from "./load.ts";

async function faultOf(source: Partial<Parameters<typeof loadModel>[0]>): Promise<GatewayError> {
  try {
    await loadModel({ package: "@ai-sdk/cohere", settings: { apiKey: "x" }, ...source }, "m");
  } catch (cause) {
    if (cause instanceof GatewayError) return cause;
  }
  throw new Error("It did not fail as it should.");
}

describe("a package", () => {
  test.each(["@ai-sdk/cohere", "@ai-sdk/amazon-bedrock", "some-package", "@ai-sdk/a/b"])(
    "has a name: %s",
    (name) => expect(PACKAGE_NAME.test(name)).toBe(true),
  );

  test.each([
    "",
    "../x",
    "/etc/x",
    "./x",
    "node:fs",
    "https://x.test/y.js",
    "data:text/javascript,1",
    "A",
    "a/../b",
  ])("without an address is loaded by its name only: %j", async (name) => {
    expect(isInstalled(name)).toBe(false);
    expect((await faultOf({ package: name })).code).toBe("upstream_unreachable");
  });

  const unusable: [string, Partial<Parameters<typeof loadModel>[0]>][] = [
    ["is not installed", { package: "@ai-sdk/there-is-no-such-thing" }],
    ["makes no models", { package: "zod" }],
    ["has no export of that name", { create: "createNothing" }],
    ["has no model of that kind", { api: "nothing" }],
    ["has no language model there", { api: "embedding" }],
  ];
  test.each(unusable)(
    "that %s fails the call, and only the log has the reason",
    async (_what, source) => {
      const error = await faultOf(source);

      expect(error.code).toBe("upstream_unreachable");
      expect(error.message).toBe("The upstream's library cannot be used.");
      expect(String(error.cause)).not.toBe("");
    },
  );

  test("that is shipped creates a model", async () => {
    const source = { package: "@ai-sdk/cohere", settings: { apiKey: "x" } };

    expect(await loadModel(source, "command-a")).toMatchObject({ version: "v3" });
  });
});

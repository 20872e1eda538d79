import { expect, test } from "bun:test";
import { loadConfig } from "#config.ts";
import { LiveSettings } from "./live-settings.ts";

test("a change that failed to load is loaded at the next refresh", async () => {
  const stored = new Map<string, string>();
  let version = 1;
  let isAway = false;
  const live = new LiveSettings({
    config: loadConfig({ env: {}, readFile: () => undefined, knownProviders: [] }),
    store: {
      async list() {
        if (isAway) throw new Error("The database does not answer.");
        return new Map(stored);
      },
      put: async () => {},
      delete: async () => false,
    },
    version: { read: async () => String(version) },
    onError: () => {},
    onLoad: () => {},
  });
  await live.load();

  stored.set("users.rpm", "600");
  version++;
  isAway = true;
  const failed = await live.refresh().catch(String);
  isAway = false;
  await live.refresh();

  expect(failed).toContain("does not answer");
  expect(live.now.userRpm).toBe(600);
});

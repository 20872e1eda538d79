import { expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { PROVIDERS } from "#providers/index.ts";
import { askForModels } from "./discover.ts";
import { aChannel } from "#test/a-channel.ts";

const NOBODY = {
  send: () => Promise.reject(new Error("Nobody was to be asked.")),
};

function channelOf(provider: string): Channel {
  const baseUrl = "https://upstream.test";
  return aChannel({ name: provider, provider, baseUrl, credentials: [credential("secret")] });
}

test("a vendor without a list has the models that are known of it, and is not asked", async () => {
  const listed = PROVIDERS.filter(({ models }) => models !== undefined);

  expect(listed.length).toBeGreaterThan(0);
  for (const { id, models = [], modelsPath, needsModels } of listed) {
    expect(await askForModels(channelOf(id), NOBODY, AbortSignal.timeout(1_000))).toEqual(models);
    expect(new Set(models).size).toBe(models.length);
    expect([modelsPath, needsModels]).toEqual([undefined, undefined]);
  }
});

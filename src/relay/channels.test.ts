import { describe, expect, test } from "bun:test";
import type { Channel } from "#core/channel.ts";
import type { ApiKey } from "#core/key.ts";
import type { Catalog, Model, ModelOverride } from "#core/model.ts";
import { systemClock } from "#lib/clock.ts";
import { Channels } from "./channels.ts";
import { Health } from "./health.ts";
import { Router } from "./route.ts";

const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] };
const THINKER: Model = {
  id: "thinker",
  owner: "openai-compatible",
  kind: "chat",
  createdAt: 0,
  input: ["text"],
  output: ["text"],
  tools: true,
  reasoning: false,
  suffixes: ["thinking"],
};
const CATALOG: Catalog = {
  findModel: (_provider, id) => (id === "thinker" ? THINKER : undefined),
  listModels: () => [],
  findCounting: () => undefined,
};

function limitsOn(model: string, overrides: readonly (readonly [string, ModelOverride])[]) {
  const names = new Map([
    ["thinker", "thinker"],
    ["alias", "thinker"],
    ["plain", "plain"],
  ]);
  const channel = (name: string): Channel => ({
    name,
    provider: "openai-compatible",
    baseUrl: "http://127.0.0.1:1/v1",
    credentials: [],
    models: { kind: "listed", upstreamNames: names },
    priority: 0,
    weight: 1,
    maxConcurrent: 1,
    isSimulated: false,
  });
  const channels = new Channels(CATALOG, new Map(overrides));
  channels.replace([channel("one"), channel("two")]);
  const settings = { unpriced: "allow", assumedOutputTokens: 1 } as const;
  return new Router(channels, new Health(systemClock), settings).limitsOn(KEY, model);
}

describe("a model's limits", () => {
  const limits = { requestsPerMinute: 5 };
  const limited = [{ id: "model:thinker", limits }];

  test("are the same on every channel that has it", () => {
    expect(limitsOn("thinker", [["thinker", { limits }]])).toEqual(limited);
  });

  test("hold under its other names and its endings, too, and are shared with them", () => {
    const overrides = [["thinker", { limits }]] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
    expect(limitsOn("thinker-thinking", overrides)).toEqual(limited);
  });

  test("of a name go over those of what is behind it", () => {
    const own = { requestsPerMinute: 9 };
    const overrides = [
      ["thinker", { limits }],
      ["alias", { limits: own }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual([{ id: "model:alias", limits: own }]);
  });

  test("hold under a name whose entry says other things of it", () => {
    const overrides = [
      ["thinker", { limits }],
      ["alias", { contextTokens: 9 }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
  });

  test("are no other model's", () => {
    expect(limitsOn("plain", [["thinker", { limits }]])).toEqual([]);
    expect(limitsOn("unknown", [["thinker", { limits }]])).toEqual([]);
  });
});

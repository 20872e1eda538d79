import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import type { Caller, Turn } from "../matrix/caller.ts";
import { chatCaller } from "../matrix/callers/chat.ts";
import { nativeCaller } from "../matrix/callers/native.ts";
import { messagesCaller } from "../matrix/callers/messages.ts";
import { responsesCaller } from "../matrix/callers/responses.ts";

const TOOL = {
  name: "get_weather",
  description: "Tells the weather in a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

interface Went {
  readonly key: string;
  readonly body: JsonObject;
  readonly status: number;
  readonly lost: string;
}

/** A conversation that can be gone on with, and where each of its requests went. */
class Talk {
  readonly #gateway: TestGateway;
  readonly #caller: Caller;
  readonly #model: string;
  readonly #turns: Turn[] = [];
  readonly went: Went[] = [];

  constructor(gateway: TestGateway, caller: Caller, model: string) {
    this.#gateway = gateway;
    this.#caller = caller;
    this.#model = model;
  }

  async ask(city: string, vendors: readonly Sandbox[]): Promise<void> {
    this.#turns.push({ role: "user", text: `What is the weather in ${city}?` });
    const calls = await this.#send(vendors);
    this.#turns.push({ role: "tool", results: calls.map((call) => ({ call, text: "Sunny" })) });
    await this.#send(vendors);
  }

  async #send(vendors: readonly Sandbox[]) {
    const { path, body } = this.#caller.request({
      model: this.#model,
      turns: this.#turns,
      stream: false,
      tools: [TOOL],
      thinks: true,
      maxTokens: 4_000,
    });
    const before = vendors.map(({ requests }) => requests.length);
    const answer = await this.#gateway.post(path, body);
    const json = parseJson(await answer.text());
    const seen = this.#caller.readWhole(isObject(json) ? json : {});
    this.#turns.push({ role: "assistant", own: seen.own });
    const record = vendors
      .flatMap(({ requests }, index) => requests.slice(before[index] ?? 0))
      .findLast(({ status }) => status === 200);
    const { headers = {}, body: sent } = record ?? {};
    this.went.push({
      key: headers["x-api-key"] ?? headers["authorization"] ?? "",
      body: isObject(sent as Json) ? (sent as JsonObject) : {},
      status: answer.status,
      lost: answer.headers.get("sluice-lossy") ?? "",
    });
    return seen.calls;
  }
}

describe("two accounts at one vendor", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await openTestGateway({
      yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${sandbox.url}/anthropic/v1", api_keys: [key-one, key-two], models: [claude-haiku-5-5] }
  - { name: gpt-one, provider: openai, base_url: "${sandbox.url}/openai/v1", api_key: key-one, models: [gpt-5] }
  - { name: gpt-two, provider: openai, base_url: "${sandbox.url}/openai/v1", api_key: key-two, models: [gpt-5] }
`,
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });

  test.each([
    { caller: messagesCaller, model: "claude-haiku-5-5", takesTurns: true },
    { caller: chatCaller, model: "claude-haiku-5-5", takesTurns: true },
    { caller: responsesCaller, model: "gpt-5", takesTurns: false },
    { caller: messagesCaller, model: "gpt-5", takesTurns: false },
  ])(
    "a $caller.id conversation stays on the account that began it: $model",
    async (asked) => {
      const { caller, model, takesTurns } = asked;
      const talks = CITIES.map((city) => ({ city, talk: new Talk(gateway, caller, model) }));
      // Conversations take turns, so that keys that only rotate would be found out.
      for (let round = 0; round < 3; round++) {
        for (const { city, talk } of talks) await talk.ask(`${city} on day ${round}`, [sandbox]);
      }

      for (const { talk } of talks) {
        expect(talk.went.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
        expect(new Set(talk.went.map(({ key }) => key)).size).toBe(1);
        for (const { lost } of talk.went) expect(lost).not.toContain("reasoning.account");
      }
      // Keys take turns among conversations; channels are drawn, and may all be the same.
      const keys = new Set(talks.flatMap(({ talk }) => talk.went.map(({ key }) => key)));
      expect(keys.size).toBeGreaterThanOrEqual(takesTurns ? 2 : 1);
    },
    60_000,
  );
});

const CITIES = ["Paris", "Oslo", "Rome", "Lima", "Cairo", "Quito", "Seoul", "Minsk"];

describe.each([messagesCaller, chatCaller])(
  "a $id conversation whose account is gone",
  (caller) => {
    test("continues on another account without data that only the first one can read, which is reported", async () => {
      await using first = await startSandboxes();
      const gateway = await openTestGateway({
        yaml: `channels:
  - { name: one, provider: anthropic, base_url: "${first.one.url}/anthropic/v1", api_key: key-one, models: [claude-haiku-5-5] }
  - { name: two, provider: anthropic, base_url: "${first.two.url}/anthropic/v1", api_key: key-two, models: [claude-haiku-5-5], priority: 1 }
`,
      });
      await using _ = gateway;
      const talk = new Talk(gateway, caller, "claude-haiku-5-5");
      const vendors = [first.one, first.two];
      await talk.ask("Paris", vendors);
      await first.one.stop();
      await talk.ask("Oslo", vendors);
      await talk.ask("Rome", vendors);

      const moved = talk.went[2];
      expect(talk.went.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(moved?.key).toBe("key-two");
      expect(moved?.lost).toContain("reasoning.account");
      // Where the answer is translated, the vendor's own word for it is as well.
      if (caller.id !== "messages") expect(moved?.lost).toMatch(/(^|, )reasoning($|,)/);
      expect(
        memberOf(memberOf(moved?.body["thinking"], "block_binding"), "prefix_mismatch_behavior"),
      ).toBe("drop_block");
      // From then on the other account is the conversation's.
      expect(talk.went.slice(3).map(({ lost }) => lost.includes("reasoning.account"))).toEqual([
        false,
        false,
        false,
      ]);
    }, 30_000);
  },
);

describe.each([
  ["claude-opus-5-5", "gpt-5"],
  ["gpt-5", "claude-opus-5-5"],
  ["gpt-5", "gemini-3-pro-preview"],
  ["claude-opus-5-5", "gemini-3-pro-preview"],
])("ten turns that begin on %s and end on %s", (first, second) => {
  test.each([messagesCaller, chatCaller, responsesCaller, nativeCaller])(
    "are not refused by either, for a $id client",
    async (caller) => {
      await using vendors = await startSandboxes();
      await using gateway = await openTestGateway({
        yaml: `channels:
${channelFor("one", first, vendors.one.url, 0)}
${channelFor("two", second, vendors.two.url, 1)}
`,
      });
      const talk = new Talk(gateway, caller, "agent");
      const both = [vendors.one, vendors.two];
      await talk.ask("Paris", both);
      await talk.ask("Oslo", both);
      await vendors.one.stop();
      for (const city of ["Rome", "Lima", "Cairo"]) await talk.ask(city, both);

      expect(talk.went.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      const away = talk.went.map(({ lost }) => lost.includes("reasoning.account"));
      expect(away.indexOf(true)).toBe(4);
      expect(away.lastIndexOf(true)).toBe(4);
      const refused = both.flatMap(({ requests }) =>
        requests.filter(({ status = 0 }) => status >= 400),
      );
      expect(refused).toEqual([]);
    },
    30_000,
  );
});

function channelFor(name: string, model: string, url: string, priority: number): string {
  const [provider, path] = model.startsWith("claude")
    ? ["anthropic", "/anthropic/v1"]
    : model.startsWith("gpt")
      ? ["openai", "/openai/v1"]
      : ["gemini", "/gemini/v1beta"];
  return `  - { name: ${name}, provider: ${provider}, base_url: "${url}${path}", api_key: key-${name}, models: [{ name: agent, upstream: ${model} }], priority: ${priority} }`;
}

async function startSandboxes() {
  const [one, two] = [await startSandbox(), await startSandbox()];
  return {
    one,
    two,
    async [Symbol.asyncDispose]() {
      await two.stop();
    },
  };
}

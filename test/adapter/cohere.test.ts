import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { memberOf, numberOf, textOf } from "#lib/values.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { random, SEED } from "#test/seed.ts";
import { withVendors } from "#test/shared.ts";
import { cut } from "../translate/chat-corpus.ts";
import { said, type Said } from "./answer.ts";
import { readRecorded } from "./recorded.ts";
import { openVendor, stream, type Respond, type Vendor } from "./vendor.ts";

/** One vendor's recorded answers, through its package and the whole gateway. */
withVendors("corpus", () => {
  let respond: Respond;
  let vendor: Vendor;
  let gateway: TestGateway;
  let books: Books;
  beforeAll(async () => {
    vendor = openVendor((seen) => respond(seen));
    gateway = await openTestGateway({
      yaml: `channels:
  - name: cohere
    provider: ai-sdk
    base_url: ${vendor.url}/v2
    api_key: co-secret-of-the-operator
    options: { package: "@ai-sdk/cohere" }
    models: [command-a]`,
      env: { SLUICE_LIMIT_ATTEMPTS: "1" },
    });
    books = openBooks(gateway.dataDir);
  });
  afterAll(async () => {
    books.close();
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });

  const ask = async (more: object = {}): Promise<Said> => {
    gateway.gateway.health.forgetAll();
    return said(
      await gateway.post("/v1/chat/completions", {
        model: "command-a",
        messages: [{ role: "user", content: "Hello." }],
        ...more,
      }),
    );
  };

  const streams = readRecorded("cohere-v2-chat").flatMap(({ file, status, sse }) =>
    status === 200 && sse !== undefined ? [{ file, sse }] : [],
  );

  describe("the client gets the vendor's message", () => {
    test.each(streams)("with any split of the bytes: $file", async ({ sse }) => {
      const told = essenceOf(sse);
      respond = () => stream(cut(Buffer.from(sse), random(SEED)));
      const streamed = await ask({ stream: true, stream_options: { include_usage: true } });
      const whole = await ask();

      const parts = partsOf(sse);
      if (told.finish !== "error") {
        await books.whenSettled();
        for (const call of books.calls().slice(-2)) expect(call).toMatchObject(parts);
      }
      for (const answer of [streamed, whole]) {
        if (told.finish === "error") expect(answer.error).toBeDefined();
        else
          expect(essence(answer)).toEqual({
            ...told,
            reasoning: answer === whole ? "" : told.reasoning,
          });
      }
      expect(streamed.isDone).toBe(told.finish !== "error");
    });
  });

  test("there are enough recordings", () => {
    expect(streams.length).toBeGreaterThan(20);
  });
});

/** What the journal must have of a usage beside its sums. */
function partsOf(sse: string): { cached_input_tokens: number; reasoning_tokens: number } {
  const usage = readEvents(`${sse}\n\n`)
    .map(({ data }) => parseJson(data))
    .filter(isObject)
    .map(({ delta }) => memberOf(delta, "usage"))
    .findLast(isObject);
  return {
    cached_input_tokens: numberOf(usage?.["cached_tokens"]) ?? 0,
    reasoning_tokens: numberOf(memberOf(usage?.["tokens"], "reasoning_tokens")) ?? 0,
  };
}

type Essence = Pick<Said, "text" | "reasoning" | "calls" | "finish" | "input" | "output">;

function essence({ text, reasoning, calls, finish, input, output }: Said): Essence {
  return { text, reasoning, calls, finish, input, output };
}

const FINISHES: ReadonlyMap<string | undefined, string> = new Map([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["TOOL_CALL", "tool_calls"],
  ["ERROR", "error"],
]);

/** Read off the vendor's own words, by nobody's library. */
function essenceOf(sse: string): Essence {
  const events = readEvents(`${sse}\n\n`)
    .map(({ data }) => parseJson(data))
    .filter(isObject);
  const calls: { name: string; text: string }[] = [];
  let text = "";
  let reasoning = "";
  let finish: string | undefined;
  let usage: Pick<Essence, "input" | "output"> = { input: undefined, output: undefined };
  for (const { type, delta } of events) {
    const message = memberOf(delta, "message");
    const content = memberOf(message, "content");
    const call = memberOf(memberOf(message, "tool_calls"), "function");
    if (type === "content-delta") {
      text += textOf(memberOf(content, "text")) ?? "";
      reasoning += textOf(memberOf(content, "thinking")) ?? "";
    }
    if (type === "tool-plan-delta") text += textOf(memberOf(message, "tool_plan")) ?? "";
    if (type === "tool-call-start")
      calls.push({ name: textOf(memberOf(call, "name")) ?? "", text: "" });
    const last = calls.at(-1);
    if (last !== undefined && textOf(type)?.startsWith("tool-call") === true) {
      last.text += textOf(memberOf(call, "arguments")) ?? "";
    }
    if (type === "message-end") {
      finish = FINISHES.get(textOf(memberOf(delta, "finish_reason")));
      usage = usageOf(memberOf(delta, "usage"));
    }
  }
  return {
    text,
    reasoning,
    calls: calls.map((call) => ({ name: call.name, arguments: parseJson(call.text) ?? {} })),
    finish,
    ...usage,
  };
}

function usageOf(usage: JsonObject[string]): Pick<Essence, "input" | "output"> {
  const tokens = memberOf(usage, "tokens");
  return {
    input: numberOf(memberOf(tokens, "input_tokens")),
    output: numberOf(memberOf(tokens, "output_tokens")),
  };
}

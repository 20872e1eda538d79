import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { countOf, HAS_VENDORS, readLines, SHARED, withShared } from "#test/shared.ts";
import { readChatCorpus } from "./chat-corpus.ts";

withShared("corpus", () =>
  describe("recorded requests", () => {
    const records = readChatCorpus();
    const asked = records.flatMap(({ file, status, request }) =>
      request === undefined ? [] : [{ file, status, request }],
    );
    const read = asked.filter(({ request }) => refusalOf(request) === undefined);

    test.if(HAS_VENDORS)("are accepted almost all, and the others lack required fields", () => {
      const refused = asked
        .filter(({ status }) => status === 200)
        .map(({ request }) => refusalOf(request))
        .filter((param) => param !== undefined);
      const reasons = new Set(refused.map((param) => param.replaceAll(/\d+/g, "0")));

      expect(read.length).toBeGreaterThan(countOf(800, 10));
      // A deployment's address may name the model; a result must say which call it answers.
      expect([...reasons].sort()).toEqual([
        "messages[0].tool_call_id",
        "messages[0].tool_calls[0].id",
        "model",
      ]);
    });

    test("[A4.3-a] have the same meaning after the hub", () => {
      for (const { file, request } of read) {
        const report = new LossReport();
        const built = chat.outbound.buildRequest(
          chat.inbound.parseRequest(request, chat.inbound.readRequest(request, {})),
          { report, model: {} },
        );

        expect([file, sorted(built)]).toEqual([file, sorted(normalized(request))]);
        expect([file, report.fields]).toEqual([file, []]);
      }
    });

    test("are unchanged if they are written twice", () => {
      for (const { file, request } of read) {
        const once = rebuild(request);

        expect([file, sorted(rebuild(once))]).toEqual([file, sorted(once)]);
      }
    });
  }),
);

withShared("captured", () =>
  describe("requests of real clients", () => {
    const files = readdirSync(join(SHARED, "captured")).filter((file) => file.endsWith(".jsonl"));
    const calls = files
      .flatMap((file) => readLines(`captured/${file}`))
      .filter(({ path }) => typeof path === "string" && path.includes("/chat/completions"));
    const bodies = calls.map(({ body }) => body).filter(isObject);

    test("[A4.3-a] [A4.3-b] are all accepted", () => {
      expect(bodies.length).toBeGreaterThan(countOf(150, 10));
      expect(bodies.map(refusalOf).filter((param) => param !== undefined)).toEqual([]);
    });

    test("have the facts that the client wrote", () => {
      for (const body of bodies) {
        const facts = chat.inbound.readRequest(body, {});

        expect<unknown>([facts.model, facts.stream]).toEqual([
          body["model"],
          body["stream"] ?? false,
        ]);
        expect<unknown>(facts.maxOutputTokens).toBe(
          body["max_completion_tokens"] ?? body["max_tokens"],
        );
      }
    });

    test("have the same meaning after the hub", () => {
      for (const body of bodies) expect(sorted(rebuild(body))).toEqual(sorted(normalized(body)));
    });
  }),
);

function refusalOf(request: JsonObject): string | undefined {
  try {
    chat.inbound.readRequest(request, {});
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.param;
  }
}

function rebuild(request: JsonObject): JsonObject {
  return chat.outbound.buildRequest(
    chat.inbound.parseRequest(request, chat.inbound.readRequest(request, {})),
    { report: new LossReport(), model: {} },
  );
}

/**
 * What a rewritten request may differ in: null members and empty lists are
 * left out, nothing but calls has no content, a tool names its type, usage is
 * asked for, and what only concerns tools goes where there are none.
 */
function normalized(request: JsonObject): JsonObject {
  const { stream, stream_options, tools, tool_choice, parallel_tool_calls, ...rest } = request;
  const options = isObject(stream_options) ? stream_options : {};
  const hasTools = isArray(tools) && tools.length > 0;
  return withoutEmpty({
    ...rest,
    ...(stream === true ? { stream, stream_options: { ...options, include_usage: true } } : {}),
    ...(hasTools ? { tools: tools.map(withType), tool_choice, parallel_tool_calls } : {}),
    messages: isArray(rest["messages"]) ? rest["messages"].map(normalizedMessage) : [],
  });
}

function normalizedMessage(message: Json): Json {
  if (!isObject(message)) return message;
  const { content, tool_calls, ...rest } = message;
  const hasCalls = isArray(tool_calls) && tool_calls.length > 0;
  const isNothing = isArray(content) && content.length === 0 && hasCalls;
  return { ...rest, ...(isNothing ? {} : { content }), ...(hasCalls ? { tool_calls } : {}) };
}

function withType(tool: Json): Json {
  return isObject(tool) ? { type: "function", ...tool } : tool;
}

function withoutEmpty(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

/** Members in one order, and those that are null left out. */
function sorted(value: Json | undefined): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const names = Object.keys(value).filter(
    (name) => value[name] !== null && value[name] !== undefined,
  );
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name])]));
}

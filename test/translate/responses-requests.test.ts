import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { disagreement } from "#test/json-schema.ts";
import { countOf, openApiSchemas, readLines, SHARED, withShared } from "#test/shared.ts";
import { readChatCorpus } from "./chat-corpus.ts";
import { readResponsesCorpus } from "./responses-corpus.ts";

withShared("corpus", () =>
  describe("recorded requests", () => {
    const asked = readResponsesCorpus().flatMap(({ file, request }) =>
      request === undefined ? [] : [{ file, request }],
    );

    test("[A4.4-a] are all accepted", () => {
      expect(asked.length).toBeGreaterThan(countOf(190, 10));
      expect(asked.filter(({ request }) => refusalOf(request) !== undefined)).toEqual([]);
    });

    test("[A4.4-a] have the same meaning after the hub", () => {
      for (const { file, request } of asked) {
        const { body, lost } = rebuilt(request);
        // What refers to something that only the vendor had is left out or retold, and said so.
        const isReference =
          request["previous_response_id"] !== undefined || lost.includes("reasoning");

        if (!isReference) expect([file, lost]).toEqual([file, []]);
        if (lost.length === 0)
          expect([file, sorted(body)]).toEqual([file, sorted(normalized(request))]);
      }
    });

    test("are unchanged if they are written twice", () => {
      for (const { file, request } of asked) {
        const once = rebuilt(request).body;

        expect([file, sorted(rebuilt(once).body)]).toEqual([file, sorted(once)]);
      }
    });

    withShared("schemas", () =>
      test("of another style conform to the vendor's schema after translation", () => {
        const resolve = openApiSchemas("schemas/openai.openapi.yaml");
        const schema = resolve("CreateResponse");
        let count = 0;
        for (const { file, request } of readChatCorpus()) {
          const body = request === undefined ? undefined : writtenFor(request);
          // Sound is taken by other servers of the style, not by the schema's vendor.
          if (body === undefined || JSON.stringify(body).includes('"input_audio"')) continue;
          count++;

          expect([file, disagreement(body, schema, resolve)]).toEqual([file, undefined]);
        }
        expect(count).toBeGreaterThan(700);
      }),
    );
  }),
);

withShared("captured", () =>
  describe("requests of real clients", () => {
    const bodies = readdirSync(join(SHARED, "captured"))
      .filter((file) => file.endsWith(".jsonl"))
      .flatMap((file) => readLines(`captured/${file}`))
      .filter(({ path }) => typeof path === "string" && path.includes("/responses"))
      .map(({ body }) => body)
      .filter(isObject);

    test("[A4.4-a] [A4.4-b] are all accepted", () => {
      expect(bodies.length).toBeGreaterThan(countOf(85, 10));
      expect(bodies.map(refusalOf).filter((param) => param !== undefined)).toEqual([]);
    });

    test("have the facts that the client wrote", () => {
      for (const body of bodies) {
        const facts = responses.inbound.readRequest(body, {});

        expect<unknown>([facts.model, facts.stream, facts.maxOutputTokens]).toEqual([
          body["model"],
          body["stream"] ?? false,
          body["max_output_tokens"],
        ]);
      }
    });

    test("have the same meaning after the hub", () => {
      for (const body of bodies) {
        expect(sorted(rebuilt(body).body)).toEqual(sorted(normalized(body)));
      }
    });

    test("can be written for an upstream of chat completions, with tools and text", () => {
      for (const body of bodies) {
        const report = new LossReport();
        const built = chat.outbound.buildRequest(parsed(body), { report, model: {} });
        const said = JSON.stringify(built["messages"]);
        const functions = listIn(body, "tools")
          .flatMap((tool) => (tool["type"] === "namespace" ? listIn(tool, "tools") : [tool]))
          .filter(({ type }) => type === "function");

        expect(listIn(built, "tools").length).toBe(functions.length);
        for (const text of textsIn(body["input"] ?? null)) {
          expect(said).toContain(JSON.stringify(text).slice(1, -1));
        }
      }
    });
  }),
);

function parsed(body: JsonObject): ReturnType<typeof responses.inbound.parseRequest> {
  return responses.inbound.parseRequest(body, responses.inbound.readRequest(body, {}));
}

function rebuilt(request: JsonObject): { body: JsonObject; lost: readonly string[] } {
  const report = new LossReport();
  const body = responses.outbound.buildRequest(parsed(request), { report, model: {} });
  return { body, lost: report.fields };
}

/** `undefined` where a request cannot be carried, which is said and not guessed. */
function writtenFor(request: JsonObject): JsonObject | undefined {
  try {
    const facts = chat.inbound.readRequest(request, {});
    return responses.outbound.buildRequest(chat.inbound.parseRequest(request, facts), {
      report: new LossReport(),
      model: {},
    });
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function refusalOf(request: JsonObject): string | undefined {
  try {
    responses.inbound.readRequest(request, {});
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.param;
  }
}

/**
 * What a rewritten request may differ in: nothing is kept upstream, proof of
 * reasoning is asked for where there may be any, a call without its result is
 * given one, a schema has a name, and what says nothing is left out.
 */
function normalized(request: JsonObject): JsonObject {
  const { previous_response_id: _, stream, text, input, include, reasoning, ...rest } = request;
  const items = isArray(input) ? input : [];
  const isElsewhere = items.some((item) => typeOf(item) === "item_reference");
  const reasons =
    (isObject(reasoning) && ("effort" in reasoning || "summary" in reasoning)) ||
    items.some((item) => typeOf(item) === "reasoning");
  const includes = new Set(isArray(include) ? include : []);
  if (reasons) includes.add("reasoning.encrypted_content");
  return {
    ...rest,
    ...(stream === true ? { stream } : {}),
    reasoning,
    store: false,
    input: isArray(input) && !isElsewhere ? paired(input) : input,
    ...(isObject(text) ? { text: named(text) } : {}),
    ...(includes.size === 0 ? {} : { include: [...includes] }),
  };
}

function paired(items: readonly Json[]): readonly Json[] {
  const calls = items.filter((item) => typeOf(item) === "function_call").map(callIdOf);
  return items.map((item) => {
    if (typeOf(item) !== "function_call_output" || calls.includes(callIdOf(item))) return item;
    return { role: "user", content: isObject(item) ? item["output"] : null };
  });
}

function named(text: JsonObject): JsonObject {
  const { format } = text;
  if (!isObject(format) || format["type"] !== "json_schema") return text;
  return { ...text, format: { name: "response", ...format } };
}

function typeOf(item: Json): Json | undefined {
  return isObject(item) ? item["type"] : undefined;
}

function callIdOf(item: Json): Json | undefined {
  return isObject(item) ? item["call_id"] : undefined;
}

function listIn(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return isArray(list) ? list.filter(isObject) : [];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return [value["text"], value["content"], value["output"]].flatMap((one) =>
    one === undefined || one === null ? [] : textsIn(one),
  );
}

/** Members in one order, and those that say nothing left out. */
function sorted(value: Json | undefined): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const names = Object.keys(value).filter((name) => {
    const member = value[name];
    return member !== null && member !== undefined && !isBlank(name, member);
  });
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name])]));
}

function isBlank(name: string, member: Json): boolean {
  if (isArray(member)) return name === "include" && member.length === 0;
  return (name === "instructions" || name === "user") && member === "";
}

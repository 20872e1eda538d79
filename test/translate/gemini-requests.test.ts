import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { countOf, readLines, SHARED, withShared } from "#test/shared.ts";
import { readNativeCorpus } from "./gemini-corpus.ts";

withShared("corpus", () =>
  describe("recorded native requests", () => {
    const asked = readNativeCorpus().flatMap(({ file, status, request, model }) =>
      request === undefined ? [] : [{ file, status, request, model }],
    );

    test("[A4.7-a] are all accepted", () => {
      expect(asked.length).toBeGreaterThan(countOf(240, 10));
      expect(asked.map(({ request }) => refusalOf(request)).filter(isRefusal)).toEqual([]);
    });

    test("[A4.7-a] have the same meaning after the hub", () => {
      for (const { file, request } of asked) {
        const report = new LossReport();
        const built = rebuild(request, report);

        expect([file, normalized(built)]).toEqual([file, normalized(request)]);
        expect([file, report.fields]).toEqual([file, []]);
      }
    });

    test("are unchanged if they are written twice", () => {
      for (const { file, request } of asked) {
        const once = rebuild(request);

        expect([file, sorted(rebuild(once))]).toEqual([file, sorted(once)]);
      }
    });

    test("have results matched to their calls", () => {
      let pairs = 0;
      for (const { file, request, status } of asked) {
        if (status !== 200) continue;
        const { messages } = gemini.inbound.parseRequest(request, facts(request));
        const blocks = messages.flatMap((message) => message.blocks);
        const calls = blocks.filter((block) => block.type === "tool_call");
        for (const result of blocks.filter((block) => block.type === "tool_result")) {
          const call = calls.find((one) => one.id === result.callId);
          pairs++;

          expect([file, call?.name]).toEqual([file, result.name]);
        }
      }
      expect(pairs).toBeGreaterThan(countOf(70, 1));
    });
  }),
);

withShared("captured", () =>
  describe("native requests of real clients", () => {
    const files = readdirSync(join(SHARED, "captured")).filter((file) => file.endsWith(".jsonl"));
    const bodies = files
      .flatMap((file) => readLines(`captured/${file}`))
      .filter(({ path }) => typeof path === "string" && path.includes("enerateContent"))
      .map(({ body }) => body)
      .filter(isObject);

    test("[A4.7-a] are all accepted", () => {
      expect(bodies.length).toBeGreaterThan(countOf(75, 10));
      expect(bodies.map(refusalOf).filter(isRefusal)).toEqual([]);
    });

    test("have the same meaning after the hub", () => {
      for (const body of bodies) expect(normalized(rebuild(body))).toEqual(normalized(body));
    });

    test("need no change for a server of the style", () => {
      for (const body of bodies) {
        expect(gemini.passthrough.amend(body, facts(body), "m")).toEqual({});
      }
    });
  }),
);

function facts(body: JsonObject): ReturnType<typeof gemini.inbound.readRequest> {
  return gemini.inbound.readRequest(body, { model: "m", stream: false });
}

function refusalOf(request: JsonObject): string | undefined {
  try {
    facts(request);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.message;
  }
}

function isRefusal(message: string | undefined): boolean {
  return message !== undefined;
}

function rebuild(request: JsonObject, report = new LossReport()): JsonObject {
  return gemini.outbound.buildRequest(gemini.inbound.parseRequest(request, facts(request)), {
    report,
    model: {},
  });
}

/** Members whose inside is the caller's own; the style must not touch it. */
const THEIRS = ["args", "response", "parametersJsonSchema", "responseJsonSchema", "properties"];

/**
 * What a rewritten request may differ in: the spelling of the style's own
 * names, a list around a single part or tool, and members that say nothing.
 */
function normalized(body: JsonObject): Json {
  const { model: _, ...rest } = renamed(body);
  return sorted(rest);
}

function renamed(value: JsonObject): JsonObject {
  const members = Object.entries(value).map(([written, member]) => {
    const name = written.replaceAll(
      /(\w)_([a-z])/g,
      (_, before, after) => before + after.toUpperCase(),
    );
    const isSingle = (name === "parts" || name === "tools") && isObject(member);
    return [name, inside(name, isSingle ? [member] : (member ?? null))] as const;
  });
  return Object.fromEntries(members);
}

function inside(name: string, value: Json): Json {
  if (THEIRS.includes(name)) return value;
  if (isArray(value)) return value.map((one) => inside("", one));
  return isObject(value) ? renamed(value) : value;
}

/** Members in one order, and the empty ones left out, but for what a tool or a part is named by. */
function sorted(value: Json | undefined, depth = 0): Json {
  if (isArray(value)) return value.map((one) => sorted(one, depth + 1));
  if (!isObject(value)) return value ?? null;
  const names = Object.keys(value).filter(
    (name) => !(depth < 2 && isEmpty(value[name])) && value[name] !== null,
  );
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name], depth + 1)]));
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { SHARED, readLines, readShared, withVendors } from "../../test/shared.ts";
import { isJsonArray, isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import { eventsOf, grammarOf, prompt, respond, send, WEATHER_TOOL } from "./testing/responses.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

withVendors("corpus/openai/responses", () => {
  const folder = "corpus/openai/responses";
  const records = readdirSync(`${SHARED}/${folder}`).map((name) => ({
    name,
    record: ours(readShared(`${folder}/${name}`)),
  }));
  const answers = records.flatMap(({ record }) => {
    const body = at(record, "response", "body");
    return isJsonObject(body) && body["object"] === "response" ? [body] : [];
  });
  const streams = records.flatMap(({ record }) => {
    const text = at(record, "response", "sse");
    return typeof text === "string"
      ? [eventsIn(text).map((data) => asObject(parseJson(data)))]
      : [];
  });

  describe("recordings of the vendor", () => {
    test("have no member of a response that the simulator lacks", async () => {
      const own = [
        await respond(sandbox, prompt("Say hi", { model: "gpt-5.4" })),
        await respond(
          sandbox,
          prompt("Weather in Oslo", {
            model: "o4-mini",
            reasoning: { summary: "detailed" },
            include: ["reasoning.encrypted_content"],
            tools: [WEATHER_TOOL],
            text: { format: { type: "json_schema", name: "x", schema: {} } },
          }),
        ),
      ];
      const members = new Set(own.flatMap((answer) => membersOf(answer)));
      const missing = answers.flatMap((answer) => membersOf(answer)).filter(isOurBusiness);

      expect(answers.length).toBeGreaterThan(50);
      expect([...new Set(missing)].filter((member) => !members.has(member))).toEqual([]);
    });

    test("have no event member that the simulator lacks, and the same order of events", async () => {
      const text = await eventsOf(sandbox, prompt("Say hi there", { model: "gpt-4o" }));
      const calls = await eventsOf(sandbox, prompt("Weather in Oslo", { tools: [WEATHER_TOOL] }));
      const members = new Set([...text, ...calls].flatMap(eventMembers));
      const grammars = new Set([grammarOf(text), grammarOf(calls)]);
      const recorded = streams.map((events) =>
        events.filter((event) => event["type"] !== "keepalive"),
      );

      expect(recorded.length).toBeGreaterThan(10);
      expect(recorded.map(grammarOf).filter((grammar) => !grammars.has(grammar))).toEqual([]);
      expect(
        recorded
          .flat()
          .flatMap(eventMembers)
          .filter((each) => !members.has(each)),
      ).toEqual([]);
    });

    test("of accepted requests are accepted by the simulator", async () => {
      const refused: string[] = [];
      for (const { name, record } of records) {
        const body = at(record, "request", "body");
        const isTaken = at(record, "response", "status") === 200;
        if (!isTaken || !isJsonObject(body) || needsTheVendorsMemory(body)) continue;
        const response = await send(sandbox, "", { body: withKnownModel(body) });
        if (response.status !== 200) refused.push(`${name}: ${await response.text()}`);
      }

      expect(refused).toEqual([]);
    });
  });
});

withVendors("captured", () => {
  const captured = readdirSync(`${SHARED}/captured`).flatMap((name) =>
    readLines(`captured/${name}`).flatMap((line) => {
      const request = ours(line);
      const body = asJson(request["body"]);
      const isOurs = textAt(request, "path").endsWith("/responses") && isJsonObject(body);
      return isOurs && "model" in body ? [{ name, body }] : [];
    }),
  );

  test("requests of clients and other programs are accepted", async () => {
    const refused: string[] = [];
    for (const { name, body } of captured) {
      if (needsTheVendorsMemory(body) || "x" in body || hasForeignIds(body)) continue;
      const response = await send(sandbox, "", { body: withKnownModel(body) });
      if (response.status !== 200) refused.push(`${name}: ${await response.text()}`);
      else await response.body?.cancel();
    }

    expect(captured.length).toBeGreaterThan(30);
    expect(refused).toEqual([]);
  });
});

function asJson(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseJson(value) : value;
}

/** What refers to items that only the vendor has: thoughts it sealed, responses, stores, names. */
function needsTheVendorsMemory(body: JsonObject): boolean {
  const text = JSON.stringify(body);
  return /"previous_response_id":"|"item_reference"|"encrypted_content":"|"file_search"|"type":"reasoning"/.test(
    text,
  );
}

/** What answered some of these clients gave its items ids of a kind that the vendor has not. */
function hasForeignIds(body: JsonObject): boolean {
  const items = isJsonArray(body["input"]) ? body["input"] : [];
  return items.some((item) => textAt(item, "id").startsWith("call_"));
}

/** The same value, in the types of the sandbox. */
function ours(value: object): JsonObject {
  return asObject(parseJson(JSON.stringify(value)));
}

/** The model of ours that can what the recorded one could. */
function withKnownModel(body: JsonObject): JsonObject {
  const thinks = /"reasoning\.encrypted_content"|"effort"|"summary":"/.test(JSON.stringify(body));
  const isStill = "temperature" in body || "top_p" in body;
  return { ...body, model: thinks ? (isStill ? "gpt-5.1" : "gpt-5") : "gpt-4.1" };
}

/** "output.message.content.output_text.text", items and parts by their types. */
function membersOf(value: Json, path = ""): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((each) => membersOf(each, path));
  if (!isJsonObject(value)) return [];
  const type = typeof value["type"] === "string" && path !== "" ? `.${value["type"]}` : "";
  return Object.entries(value).flatMap(([key, part]) => {
    const own = `${path}${type}.${key}`;
    return isFree(own) ? [own] : [own, ...membersOf(part, own)];
  });
}

/** What the caller wrote, and the vendor only repeats. */
function isFree(path: string): boolean {
  return /\.(?:parameters|schema|metadata|tool_choice)$/.test(path);
}

/** Not what only searches of files have, and not a name that the vendor has given up since. */
function isOurBusiness(member: string): boolean {
  return !/file_search|web_search_|code_interpreter|image_generation|annotations\.|generate_summary/.test(
    member,
  );
}

function eventMembers(event: JsonObject): readonly string[] {
  const type = textAt(event, "type");
  return Object.keys(event).map((key) => `${type}.${key}`);
}

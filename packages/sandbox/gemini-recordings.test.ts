import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SHARED, withVendors } from "../../test/shared.ts";
import { findModel, type Generation } from "./gemini/models.ts";
import { isJsonArray, isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import { SHOWN, WEATHER, answerTo, ask, chunksOf, partsOf, post } from "./testing/gemini.ts";

withVendors("corpus", () => {
  const records = ["generate-content", "stream-generate-content"].flatMap(readRecords);
  describe("recorded requests are accepted", () => taken(records));
  describe("recorded responses have the same form as simulated ones", () => shapes(records));
});

interface Recorded {
  readonly name: string;
  /** The model as it was asked for, where the sandbox plays it. */
  readonly model: string;
  readonly verb: string;
  readonly body: Json | undefined;
  readonly status: number;
  /** One, or as many as the stream had. */
  readonly answers: readonly JsonObject[];
  readonly isStream: boolean;
}

function readRecords(endpoint: string): readonly Recorded[] {
  const folder = join(SHARED, "corpus/google", endpoint);
  return readdirSync(folder).map((file) => {
    const { request, response } = asRecord(parseJson(readFileSync(join(folder, file), "utf8")));
    const path = textAt(request, "path");
    const [, model = "", verb = ""] = path.match(/models\/([^:]+):(\w+)/) ?? [];
    const body = request["recorded"] === false ? undefined : (request["body"] ?? undefined);
    return {
      name: `${endpoint}/${file}`,
      model,
      verb,
      body,
      status: Number(response["status"]),
      answers: answersIn(response),
      isStream: verb === "streamGenerateContent",
    };
  });
}

function asRecord(value: Json | undefined) {
  const record = asObject(value);
  return { request: asObject(record["request"]), response: asObject(record["response"]) };
}

function answersIn({ sse, body }: JsonObject): readonly JsonObject[] {
  if (typeof sse === "string") return eventsIn(sse).map((data) => asObject(parseJson(data)));
  if (isJsonArray(body)) return body.map(asObject);
  return isJsonObject(body) ? [body] : [];
}

/** The same request with signatures that pass here, since the true ones are sealed by the vendor. */
function unsealed(body: Json): JsonObject {
  const text = JSON.stringify(body, (key: string, value: Json) =>
    /^thought_?signature$/i.test(key) ? "skip_thought_signature_validator" : value,
  );
  return asObject(parseJson(text));
}

function taken(records: readonly Recorded[]): void {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  const played = records.filter(
    ({ model, status, body }) =>
      findModel(model) !== undefined && status === 200 && isJsonObject(body),
  );

  test("there are enough recordings of the simulated models", () => {
    expect(played.length).toBeGreaterThan(100);
  });

  test.each(played.map((record) => [record.name, record] as const))("%s", async (_, record) => {
    const call = `models/${record.model}:${record.verb}${record.isStream ? "?alt=sse" : ""}`;
    const response = await post(sandbox, call, unsealed(record.body ?? null));

    const said = response.status === 200 ? "" : await response.text();
    expect([response.status, said]).toEqual([200, ""]);
  });
}

function shapes(records: readonly Recorded[]): void {
  // The time is told only by the cloud's edition, which has ways of its own.
  const answered = records.filter(
    ({ status, answers: [first] }) =>
      status === 200 &&
      findModel(textAt(first, "modelVersion")) !== undefined &&
      at(first, "createTime") === undefined,
  );
  const ours: Answered[] = [];
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
    for (const [model, body] of BATTERY) {
      ours.push({ isStream: false, answers: [await answerTo(sandbox, model, body)] });
      ours.push({ isStream: true, answers: await chunksOf(sandbox, model, body) });
    }
  });
  afterAll(() => sandbox.stop());

  test("every order of parts in a recorded stream also occurs in the simulator", () => {
    const known = new Set(ours.filter(({ isStream }) => isStream).map(sequenceOf));
    const real = answered.filter((each) => each.isStream && isPlain(each));

    expect(real.length).toBeGreaterThan(60);
    expect([...new Set(real.map(sequenceOf))].filter((each) => !known.has(each))).toEqual(RARE);
  });

  test("every member of a recorded response also occurs in the simulator", () => {
    const known = new Set(ours.flatMap((each) => [...membersOf(each)]));
    const missing = answered.flatMap((record) =>
      [...membersOf(record)].filter((member) => !known.has(member)),
    );

    expect([...new Set(missing)].filter((member) => !ELSEWHERE.test(member))).toEqual([]);
  });

  test("an order that the vendor does not have would be detected", () => {
    const known = ours.filter(({ isStream }) => isStream).map(sequenceOf);

    expect(known).not.toContain("3 text+STOP");
    expect(known).toContain("3 text text+sealed+STOP");
  });

  test("refusals equal those of the vendor, with their details", async () => {
    await using guarded = await startSandbox({ apiKeys: ["AIza-right"] });
    const real = records.filter(({ status, answers }) => status >= 400 && answers.length > 0);
    const kinds = real.map(({ status, answers: [body] }) => [status, body] as const);

    const wrongKey = kinds.find(([, body]) => /API key not valid/.test(JSON.stringify(body)));
    const unknown = kinds.find(([status]) => status === 404);
    const refused = await post(guarded, "models/gemini-2.5-flash:generateContent", ask("hi"));
    const missed = await post(guarded, "models/there-is-no-such-model:generateContent", ask("hi"), {
      key: "AIza-right",
    });
    expect(parseJson(await refused.text())).toEqual(wrongKey?.[1] ?? null);
    expect(refused.status).toBe(wrongKey?.[0] ?? 0);
    const body = asObject(at(parseJson(await missed.text()), "error"));
    expect(Object.keys(body)).toEqual(Object.keys(asObject(at(unknown?.[1], "error"))));
    expect(body).toMatchObject({ code: 404, status: "NOT_FOUND" });
  });
}

/** Once the end came along with the call instead of after it: what a stream is cut into is a matter of time. */
const RARE = ["3 call+sealed+text+STOP"];

const COUNT = "Count to 30";
const CALLS = ask("Weather in Paris and Rome", { tools: [WEATHER] });
const CALL = ask("Weather in Paris", { tools: [WEATHER] });
const cut = (tokens: number, extra: JsonObject = {}) =>
  ask(COUNT, { generationConfig: { maxOutputTokens: tokens, ...extra } });
const off: JsonObject = { thinkingConfig: { thinkingBudget: 0 } };
const withConfig = (body: JsonObject, generationConfig: JsonObject) => ({
  ...body,
  generationConfig,
});

const LONG = "All work and no play makes a very dull manual. ".repeat(200);

/** One request for each kind of answer that was recorded. */
const BATTERY: readonly (readonly [string, JsonObject])[] = [
  ...["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3.5-flash"].flatMap(
    (model): readonly (readonly [string, JsonObject])[] => [
      [model, ask(COUNT)],
      [model, ask("Say hi")],
      [model, CALL],
      [model, CALLS],
      [model, cut(9)],
      [model, cut(500)],
      [model, ask("Search the web on tides, in 3 sentences", { tools: [{ googleSearch: {} }] })],
    ],
  ),
  ...["gemini-2.5-flash", "gemini-3.5-flash"].flatMap(
    (model): readonly (readonly [string, JsonObject])[] => [
      [model, ask(COUNT, { generationConfig: SHOWN })],
      [model, ask("Say hi", { generationConfig: SHOWN })],
      [model, withConfig(CALL, SHOWN)],
      [model, withConfig(CALL, off)],
      [model, ask(COUNT, { generationConfig: off })],
      [model, cut(9, off)],
      [model, cut(3, off)],
      [model, cut(50, SHOWN)],
      [model, ask("Summarize https://example.com/tides", { tools: [{ urlContext: {} }] })],
      [model, ask("What is 12 * (3 + 4)?", { tools: [{ codeExecution: {} }] })],
      [model, ask("Say one", { systemInstruction: { parts: [{ text: LONG }] } })],
      [model, ask("Say two", { systemInstruction: { parts: [{ text: LONG }] } })],
    ],
  ),
  [
    "gemini-3.5-flash",
    ask("Search the web for tides", {
      tools: [{ googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    }),
  ],
  [
    "gemini-3-pro-image",
    ask("A lighthouse", { generationConfig: { responseModalities: ["IMAGE"] } }),
  ],
  ["gemini-2.5-flash-image", ask("A lighthouse")],
];

/** What only others bring: a server of the caller's, a store of files. */
const ELSEWHERE = /turnToken|functionResponse|retrievedContext|retrievalMetadata|confidenceScores/;

interface Answered {
  readonly isStream: boolean;
  readonly answers: readonly JsonObject[];
}

/** The oldest never numbered a single candidate: where it does, a newer one answers under its name. */
function generationOf(answers: readonly JsonObject[]): Generation | undefined {
  const generation = findModel(textAt(answers[0], "modelVersion"))?.generation;
  const isNumbered = at(answers[0], "candidates", 0, "index") !== undefined;
  return generation === "2.0" && isNumbered ? "3" : generation;
}

/** Tools that run at the vendor's take ways of their own. */
function isPlain({ answers }: Answered): boolean {
  const named = partsOf(...answers).flatMap((part) => Object.keys(part));
  return !named.some((name) => /executableCode|functionResponse|inlineData/.test(name));
}

/** "2.5 thought text text+STOP": what follows what, where repetitions count once. */
function sequenceOf({ answers }: Answered): string {
  const steps = answers.map((answer) => {
    const parts = partsOf(answer).map((part) => {
      const kind =
        part["functionCall"] !== undefined ? "call" : part["thought"] === true ? "thought" : "text";
      return "thoughtSignature" in part ? `${kind}+sealed` : kind;
    });
    const reason = textAt(answer, "candidates", 0, "finishReason");
    return [...new Set(parts), ...(reason === "" ? [] : [reason])].join("+");
  });
  const once = steps.filter((step, index) => step !== steps[index - 1]);
  return `${generationOf(answers)} ${once.join(" ")}`;
}

/** Every path to a member, with the generation; a caller's own values are not gone into. */
function membersOf({ answers }: Answered): ReadonlySet<string> {
  const generation = generationOf(answers);
  const found = new Set<string>();
  const visit = (value: Json | undefined, path: string): void => {
    if (isJsonArray(value)) for (const each of value) visit(each, `${path}[]`);
    if (!isJsonObject(value) || /\.(?:args|response)$/.test(path)) return;
    for (const [name, each] of Object.entries(value)) {
      found.add(`${generation}${path}.${name}`);
      visit(each, `${path}.${name}`);
    }
  };
  for (const answer of answers) visit(answer, "");
  return found;
}

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SHARED, withVendors } from "../../test/shared.ts";
import { isJsonArray, isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import {
  eventsOf,
  FORECAST,
  messageTo,
  namedEvents,
  postMessages,
  say,
  SEARCH,
  type NamedEvent,
} from "./testing/messages.ts";

withVendors("corpus", () => {
  describe("the simulator behaves as the vendor was recorded", comparison);
});

withVendors("captured", () => {
  test("requests of real clients are accepted, except one invalid image and one new beta", async () => {
    await using sandbox = await startSandbox();
    const refused: string[] = [];
    const requests = CLIENTS.flatMap(readCaptured);
    for (const { file, path, headers, body } of requests) {
      const response = await postMessages(
        sandbox,
        { ...body, model: "claude-sonnet-4-5" },
        headers,
        path,
      );
      const message = textAt(parseJson(await response.text()), "error", "message");
      if (response.status !== 200) refused.push(`${file}: ${message.split(".")[0]}`);
    }

    expect(requests.length).toBeGreaterThan(50);
    expect(refused).toEqual([
      // Its newest version of the interface takes no sampling.
      "anthropic: top_k: Extra inputs are not permitted",
      "anthropic: thread: Extra inputs are not permitted",
      "anthropic: thread: Extra inputs are not permitted",
      "anthropic0: Could not process image",
      "anthropic039: Could not process image",
      // It thinks, and leaves out the thought when it answers the call: the vendor would refuse it, too.
      "qwen-code-anthropic: messages",
    ]);
  });
});

const CLIENTS = [
  "anthropic",
  "anthropic0",
  "anthropic039",
  "continue-anthropic",
  "kilo-anthropic",
  "langchain",
  "llamaindex",
  "opencode-anthropic",
  "pi-anthropic-messages",
  "py",
  "qwen-code-anthropic",
  "vercel",
];

function readCaptured(file: string) {
  return readText(`captured/${file}.jsonl`)
    .split("\n")
    .map(parseJson)
    .filter((line) => /^\/v1\/messages(?:\/count_tokens)?(?:\?|$)/.test(textAt(line, "path")))
    .map((line) => {
      const beta = textAt(line, "headers", "anthropic-beta");
      return {
        file,
        path: textAt(line, "path"),
        headers: {
          "anthropic-version": textAt(line, "headers", "anthropic-version"),
          "anthropic-beta": beta,
        },
        body: asObject(at(line, "body")),
      };
    });
}

interface Recorded {
  readonly file: string;
  readonly path: string;
  readonly betas: string;
  readonly status: number;
  readonly request: JsonObject | undefined;
  readonly body: Json | undefined;
  readonly sse: string | undefined;
}

function comparison(): void {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  const recorded = readRecorded();
  const answered = recorded.filter(({ status }) => status === 200);
  const wholes = answered.flatMap(({ body }) =>
    at(body, "type") === "message" ? [asObject(body)] : [],
  );
  const streams = answered.flatMap(({ sse }) => (sse === undefined ? [] : [namedEvents(sse)]));

  test("there are enough recordings to compare with", () => {
    expect(wholes.length).toBeGreaterThan(40);
    expect(streams.length).toBeGreaterThan(30);
  });

  test("answered requests are accepted, except those that only the vendor could have signed", async () => {
    const sent = answered.flatMap((each) =>
      each.request === undefined ? [] : [{ ...each, request: each.request }],
    );
    const refused: string[] = [];
    for (const { file, path, betas, request } of sent) {
      const plain = path.split("?")[0] ?? path;
      if (!plain.startsWith("/v1/messages")) continue;
      const response = await postMessages(sandbox, request, { "anthropic-beta": betas }, path);
      const message = textAt(parseJson(await response.text()), "error", "message");
      if (response.status !== 200 && !/Invalid `(?:signature|encrypted_content)`/.test(message))
        refused.push(`${file}: ${message}`);
    }

    expect(sent.length).toBeGreaterThan(60);
    expect(refused).toEqual([]);
  });

  test("an unknown model is refused with the vendor's exact message", async () => {
    const missing = recorded.filter(({ status }) => status === 404);
    for (const { path, request, body } of missing) {
      const response = await postMessages(sandbox, request ?? {}, {}, path);

      expect(response.status).toBe(404);
      expect(withoutId(asObject(parseJson(await response.text())))).toEqual(
        withoutId(asObject(body)),
      );
    }
    expect(missing.length).toBeGreaterThan(1);
  });

  test("a wrong key is refused with the vendor's exact message", async () => {
    await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
    const refusals = recorded.filter(
      ({ body }) => at(body, "error", "message") === "invalid x-api-key",
    );
    for (const { request, body } of refusals) {
      const response = await postMessages(guarded, request ?? {});

      expect(response.status).toBe(401);
      expect(withoutId(asObject(parseJson(await response.text())))).toEqual(
        withoutId(asObject(body)),
      );
    }
    expect(refusals.length).toBeGreaterThan(1);
  });

  test("a complete response has exactly the members of a recorded one", async () => {
    const ours = memberSet(
      await Promise.all(QUESTIONS.map((body) => messageTo(sandbox, body, OLD_CODE))),
    );
    const theirs = memberSet(wholes);

    expect([...theirs].filter((member) => !ours.has(member))).toEqual([]);
    expect([...ours].filter((member) => !theirs.has(member) && !isRare(member))).toEqual([]);
  });

  test("the events of a stream have exactly the members of recorded ones", async () => {
    const made = await Promise.all(QUESTIONS.map((body) => eventsOf(sandbox, body, OLD_CODE)));
    const ours = eventMemberSet(made);
    const theirs = eventMemberSet(streams);

    expect([...theirs].filter((member) => !ours.has(member))).toEqual([]);
    expect([...ours].filter((member) => !theirs.has(member) && !isRare(member))).toEqual([]);
  });

  test("events are in the order of recorded streams", async () => {
    const made = await Promise.all(QUESTIONS.map((body) => eventsOf(sandbox, body, OLD_CODE)));
    const ours = new Set(made.flatMap(steps));
    const theirs = new Set(streams.flatMap(steps));

    expect([...theirs].filter((step) => !ours.has(step)).toSorted()).toEqual([]);
    expect([...ours].filter((step) => !theirs.has(step) && !isRare(step)).toSorted()).toEqual([]);
  });

  test("event names are those of recorded streams", () => {
    const names = streams.flatMap((events) => events.map(({ name, data }) => [name, data["type"]]));

    expect(names.every(([name, type]) => name === type)).toBe(true);
  });

  test("the models of the newest list exist, with all their facts", async () => {
    const response = await fetch(`${sandbox.url}/anthropic/v1/models?limit=1000`, {
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    });
    const ours = asObject(parseJson(await response.text()));
    const lists = answered.flatMap(({ body }) =>
      isJsonArray(at(body, "data")) ? [asObject(body)] : [],
    );
    const newest = lists.find((list) => at(list, "first_id") === "claude-opus-5");
    const theirs = new Map(modelsOf(newest ?? {}).map((model) => [textAt(model, "id"), model]));

    expect(theirs.size).toBeGreaterThan(10);
    // What was recorded is older than the members that tell when a model retires.
    expect(modelsOf(ours).filter((model) => theirs.has(textAt(model, "id")))).toMatchObject([
      ...theirs.values(),
    ]);
    expect(lists.flatMap((list) => Object.keys(list).filter((name) => !(name in ours)))).toEqual(
      [],
    );
  });

  test("tokens are counted in the recorded shape", async () => {
    const { max_tokens: _, ...prompt } = say("hi");
    const response = await postMessages(sandbox, prompt, {}, "/v1/messages/count_tokens");
    const counts = answered.filter(({ path }) => path.includes("count_tokens"));

    expect(counts.length).toBeGreaterThan(1);
    for (const { body } of counts) expect(Object.keys(asObject(body))).toEqual(["input_tokens"]);
    expect(Object.keys(asObject(parseJson(await response.text())))).toEqual(["input_tokens"]);
  });
}

function modelsOf(list: JsonObject): readonly Json[] {
  const data = at(list, "data");
  return isJsonArray(data) ? data : [];
}

const thinking = { type: "enabled", budget_tokens: 1_024 };
const lawn = {
  type: "text",
  media_type: "text/plain",
  data: "The grass is green. The sky is blue.",
};
const lawnInParts = { type: "content", content: [{ type: "text", text: "The grass is green." }] };

function quoting(source: JsonObject): JsonObject {
  const content = [
    { type: "document", source, citations: { enabled: true } },
    { type: "document", source, citations: { enabled: true } },
    { type: "text", text: "Say so" },
  ];
  return say("", { messages: [{ role: "user", content }] });
}

/** The first tool for programs never left its beta. */
const OLD_CODE = { "anthropic-beta": "code-execution-2025-05-22" };

function running(type: string): JsonObject {
  const tools = [{ type, name: "code_execution" }];
  return say("Run code to calculate 12 * 30", { tools });
}

/** One for each kind of answer that was recorded. */
const QUESTIONS: readonly JsonObject[] = [
  say("Say hi"),
  say("Say hi", { thinking }),
  say("Say hi", { model: "claude-opus-5", thinking: { type: "adaptive" } }),
  say("ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING_ Say hi", { thinking }),
  say("Weather in Oslo and Rome", { tools: [FORECAST] }),
  say("Weather in Oslo", { tools: [FORECAST], thinking }),
  say("Search the web for tides", { tools: [SEARCH] }),
  say("Search the web for tides", { tools: [SEARCH], thinking }),
  say("Fetch https://pages.example/tides", {
    tools: [{ type: "web_fetch_20250910", name: "web_fetch" }],
  }),
  running("code_execution_20250825"),
  running("code_execution_20250522"),
  quoting(lawn),
  quoting(lawnInParts),
];

/** What no recording shows in this form, though others show it in the other. */
function isRare(member: string): boolean {
  return RARE.some((rare) => member.includes(rare));
}

const RARE = [
  "redacted_thinking",
  "code_execution_tool_result",
  "web_fetch",
  "char_location",
  "content_block_location",
  "delta.container",
  "thinking > content_block_delta signature_delta",
];

function withoutId({ request_id: _id, ...body }: JsonObject): JsonObject {
  return body;
}

function readRecorded(): readonly Recorded[] {
  return readText("corpus/index.jsonl")
    .split("\n")
    .map(parseJson)
    .filter(
      (line) => at(line, "provider") === "anthropic" && at(line, "endpoint") !== "chat-completions",
    )
    .map((line) => readOne(textAt(line, "file")));
}

function readOne(file: string): Recorded {
  const { request, response } = asObject(parseJson(readText(`corpus/${file}`)));
  const path = textAt(request, "path");
  const body = at(request, "body");
  const sse = at(response, "sse");
  // The recorders kept few headers; a beta interface was called with some beta.
  const kept = textAt(request, "headers", "anthropic-beta");
  return {
    file,
    path,
    betas: kept === "" && path.includes("beta=true") ? USUAL_BETAS : kept,
    status: Number(at(response, "status")),
    request: isJsonObject(body) ? body : undefined,
    body: at(response, "body"),
    sse: typeof sse === "string" ? sse : undefined,
  };
}

function readText(path: string): string {
  return readFileSync(`${SHARED}/${path}`, "utf8");
}

const USUAL_BETAS = "files-api-2025-04-14,computer-use-2025-01-24,computer-use-2025-11-24";

/** `content[text].citations[web_search_result_location].url` and the like, for every member there is. */
function memberSet(answers: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(answers.flatMap((answer) => [...paths(answer)]));
}

function paths(value: Json, prefix = ""): ReadonlySet<string> {
  if (isJsonArray(value))
    return new Set(value.flatMap((each) => [...paths(each, `${prefix}${tagOf(each)}`)]));
  if (!isJsonObject(value)) return new Set();
  return new Set(
    Object.entries(value).flatMap(([name, each]) => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      // What a tool is given is the caller's affair.
      return name === "input" ? [path] : [path, ...paths(each, path)];
    }),
  );
}

function tagOf(value: Json): string {
  return `[${textAt(value, "type")}]`;
}

/** The same for events, each under its type and that of what it carries. */
function eventMemberSet(streams: readonly (readonly NamedEvent[])[]): ReadonlySet<string> {
  return new Set(
    streams.flat().flatMap(({ data }) => {
      const kind = [["content_block"], ["delta"], ["delta", "citation"]]
        .map((path) => textAt(data, ...path, "type"))
        .join(" ");
      return [...paths(data)].map((path) => `${textAt(data, "type")} ${kind} ${path}`);
    }),
  );
}

/** Which event came behind which, without the pings, and any number of equal ones as one. */
function steps(events: readonly NamedEvent[]): readonly string[] {
  const names = events
    .filter(({ name }) => name !== "ping")
    .map(({ data }) => {
      const kind = textAt(data, "content_block", "type") || textAt(data, "delta", "type");
      const isCited = isJsonArray(at(data, "content_block", "citations"));
      return `${textAt(data, "type")} ${kind}${isCited ? " cited" : ""}`.trim();
    });
  return names.slice(1).map((name, index) => `${names[index]} > ${name}`);
}

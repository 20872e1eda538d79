import { expect, test } from "bun:test";
import type { Json } from "../json.ts";
import { question } from "../testing/question.ts";
import { answerQuestion } from "./answer.ts";
import type { RequestSpec, Tool } from "./conversation.ts";

function tool(
  name: string,
  description: string,
  properties: Json = {},
  required: readonly string[] = [],
): Tool {
  return {
    kind: "function",
    name,
    description,
    schema: { type: "object", properties, required, additionalProperties: false },
  };
}

const text = { type: "string" };
const number = { type: "number" };

const weather = tool(
  "get_weather",
  "Current weather of a city.",
  { city: text, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
  ["city"],
);
const time = tool("get_time", "Local time at a place.", { location: text }, ["location"]);
const flight = tool(
  "book_flight",
  "Books a seat.",
  {
    origin: text,
    destination: text,
    date: { type: "string", format: "date" },
    passengers: { type: "integer", minimum: 1, maximum: 9 },
  },
  ["origin", "destination", "date", "passengers"],
);
const multiply = tool("multiply", "Multiplies two numbers.", { a: number, b: number }, ["a", "b"]);
const search = tool(
  "web_search",
  "Searches the web.",
  { query: text, max_results: { type: "integer", default: 5 } },
  ["query"],
);
const mail = tool(
  "sendEmail",
  "Sends an email.",
  { to: { type: "string", format: "email" }, subject: text, urgent: { type: "boolean" } },
  ["to", "subject", "urgent"],
);
const read = tool("read_file", "Reads a file.", { path: text }, ["path"]);
const tags = tool(
  "set_tags",
  "Sets tags on a note.",
  {
    note: {
      type: "object",
      properties: { id: { type: "integer" }, tags: { type: "array", items: text, minItems: 1 } },
      required: ["id", "tags"],
    },
  },
  ["note"],
);
const ALL = [weather, time, flight, multiply, search, mail, read, tags];

function callsFor(prompt: string, extra: Partial<RequestSpec> = {}): readonly string[] {
  const answer = answerQuestion(question(prompt, { tools: ALL, ...extra }));
  return answer.calls.map((call) => call.name + call.input);
}

test.each([
  ["What's the weather in Paris?", ['get_weather{"city":"Paris"}']],
  [
    "What's the weather in Paris, France in fahrenheit?",
    ['get_weather{"city":"Paris, France","unit":"fahrenheit"}'],
  ],
  [
    "weather for New York and for Rio de Janeiro please",
    ['get_weather{"city":"New York"}', 'get_weather{"city":"Rio de Janeiro"}'],
  ],
  ["Weather and time in Tokyo", ['get_weather{"city":"Tokyo"}', 'get_time{"location":"Tokyo"}']],
  [
    "Book a flight from Rome to Oslo on 2026-05-01 for 2 people",
    ['book_flight{"origin":"Rome","destination":"Oslo","date":"2026-05-01","passengers":2}'],
  ],
  ["multiply 6 and 7", ['multiply{"a":6,"b":7}']],
  ["What is 6 times 7?", ['multiply{"a":6,"b":7}']],
  ['Search the web for "solar eclipse"', ['web_search{"query":"solar eclipse"}']],
  [
    'Send an email to ada@example.com, subject: "Lunch", urgent',
    ['sendEmail{"to":"ada@example.com","subject":"Lunch","urgent":true}'],
  ],
  ["Read the file src/main.ts", ['read_file{"path":"src/main.ts"}']],
  [
    "set tags on note id: 12, tags: red, green and blue",
    ['set_tags{"note":{"id":12,"tags":["red","green","blue"]}}'],
  ],
  ["Tell me a joke", []],
  ["hello", []],
  ["use get_time now", ['get_time{"location":"sample location"}']],
])("the prompt %j calls %j", (prompt, expected) => {
  expect(callsFor(prompt)).toEqual(expected);
});

test("one call is made if parallel calls are not allowed", () => {
  expect(callsFor("Weather in Paris and Rome", { mayCallInParallel: false })).toEqual([
    'get_weather{"city":"Paris"}',
  ]);
});

test("the client's tool choice takes precedence over the prompt", () => {
  expect(callsFor("Weather in Paris", { choice: { mode: "none" } })).toEqual([]);
  expect(callsFor("Weather in Paris", { choice: { mode: "named", name: "get_time" } })).toEqual([
    'get_time{"location":"Paris"}',
  ]);
  expect(
    callsFor("Tell me a joke", { choice: { mode: "required", only: ["multiply"] } })[0],
  ).toStartWith("multiply{");
  expect(callsFor("Weather in Paris", { choice: { mode: "auto", only: ["multiply"] } })).toEqual(
    [],
  );
});

test("a tool with a result is not called again, unless a call is forced", () => {
  const conversation: RequestSpec["conversation"] = [
    { role: "user", text: "Weather in Paris", media: [] },
    {
      role: "assistant",
      text: "",
      calls: [{ kind: "function", name: "get_weather", input: '{"city":"Paris"}' }],
    },
    { role: "result", tool: "get_weather", text: "sunny" },
  ];

  expect(callsFor("", { conversation })).toEqual([]);
  expect(callsFor("", { conversation, choice: { mode: "required" } })).toEqual([
    'get_weather{"city":"Paris"}',
  ]);
});

test("a tool without parameters is called with an empty object", () => {
  const ping: Tool = { kind: "function", name: "ping_server", description: "", schema: {} };

  expect(callsFor("ping the server", { tools: [ping] })).toEqual(["ping_server{}"]);
});

test("a long description alone does not cause a call", () => {
  const manual = tool(
    "run",
    `Does things. ${"Weather, joke, file, Paris, and all other words. ".repeat(50)}`,
  );

  expect(callsFor("Tell me a joke on the weather in Paris", { tools: [manual] })).toEqual([]);
});

test("a custom tool gets the prompt's text, or one that matches its pattern", () => {
  const shell: Tool = { kind: "custom", name: "shell_command", description: "Runs a command." };
  const hex: Tool = {
    kind: "custom",
    name: "paint_color",
    description: "",
    pattern: "^#[0-9a-f]{6}$",
  };

  expect(callsFor("Run the shell command `ls -l`", { tools: [shell] })).toEqual([
    "shell_commandls -l",
  ]);
  expect(callsFor("paint it in a color", { tools: [hex] })[0]).toMatch(/^paint_color#[0-9a-f]{6}$/);
});

import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "./server.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const weather = tool({
  description: "Current weather of a city",
  inputSchema: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
  execute: ({ city }) => Promise.resolve(`sunny in ${city}`),
});

test.each(["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3.5-flash"])(
  "another company's client streams %s, runs both calls, and returns everything",
  async (id) => {
    const google = createGoogleGenerativeAI({
      apiKey: "AIza-test",
      baseURL: `${sandbox.url}/gemini/v1beta`,
    });
    const before = sandbox.requests.length;
    const streamed = streamText({
      model: google(id),
      prompt: "Weather in Paris and in Rome?",
      tools: { get_weather: weather },
      stopWhen: stepCountIs(3),
    });
    const text = await streamed.text;
    const plain = await generateText({ model: google(id), prompt: "Say hi" });

    expect(text).toContain("sunny in Paris");
    expect(text).toContain("sunny in Rome");
    expect(plain.text).toBe("hi");
    expect(sandbox.requests.slice(before).map(({ status }) => status)).toEqual([200, 200, 200]);
  },
);

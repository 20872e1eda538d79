import { describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import {
  generateObject,
  generateText,
  stepCountIs,
  streamText,
  tool,
  type LanguageModel,
} from "ai";
import { z } from "zod";
import { KEY } from "#test/harness.ts";
import { describeOnEachUpstream } from "./each-upstream.ts";

/** The packages of one client library, each of which speaks another style. */
const PACKAGES: Readonly<Record<string, (url: string, model: string) => LanguageModel>> = {
  "openai, chat": (url, model) => createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).chat(model),
  "openai, responses": (url, model) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).responses(model),
  anthropic: (url, model) => createAnthropic({ baseURL: `${url}/v1`, apiKey: KEY })(model),
  google: (url, model) =>
    createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: KEY })(model),
};

describeOnEachUpstream("the AI SDK", (place) => {
  describe.each(Object.entries(PACKAGES))("with its package for %s", (_name, create) => {
    const model = (): LanguageModel => create(place().url, place().upstream.model);
    const getWeather = tool({
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => `Sunny in ${city}, ${city.length} degrees`,
    });

    test("generates text", async () => {
      const { text, finishReason, usage } = await generateText({
        model: model(),
        prompt: "Reply with exactly: pong",
        maxRetries: 0,
      });

      expect([text, finishReason]).toEqual(["pong", "stop"]);
      expect(usage.inputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeGreaterThan(0);
    });

    test("streams text", async () => {
      const result = streamText({
        model: model(),
        prompt: "Reply with exactly: one two three",
        maxRetries: 0,
      });

      expect((await Array.fromAsync(result.textStream)).join("")).toBe("one two three");
      expect(await result.finishReason).toBe("stop");
    });

    test.each([false, true])("runs tools in a loop (stream %p)", async (stream) => {
      const ask = {
        model: create(place().url, place().upstream.thinker),
        prompt: "What is the weather in Paris and in Oslo?",
        tools: { get_weather: getWeather },
        stopWhen: stepCountIs(4),
        maxRetries: 0,
      };

      const text = stream ? await streamText(ask).text : (await generateText(ask)).text;

      expect(text).toContain("Sunny in Paris, 5 degrees");
      expect(text).toContain("Sunny in Oslo, 4 degrees");
    });

    test("generates an object of a schema", async () => {
      const { object } = await generateObject({
        model: model(),
        schema: z.object({ name: z.string(), age: z.number() }),
        prompt: "Invent a person called Ada",
        maxRetries: 0,
      });

      expect(object).toEqual({ name: expect.any(String), age: expect.any(Number) });
    });
  });
});

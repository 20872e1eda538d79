import { describe, expect, test } from "bun:test";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { KEY } from "#test/harness.ts";
import { describeOnEachUpstream } from "./each-upstream.ts";

const PACKAGES: Readonly<Record<string, (url: string, model: string) => BaseChatModel>> = {
  "openai, chat": (url, model) => openai(url, model, false),
  "openai, responses": (url, model) => openai(url, model, true),
  anthropic: (url, model) =>
    new ChatAnthropic({
      model,
      apiKey: KEY,
      anthropicApiUrl: url,
      maxRetries: 0,
      maxTokens: 1_000,
    }),
  google: (url, model) =>
    new ChatGoogleGenerativeAI({ model, apiKey: KEY, baseUrl: url, maxRetries: 0 }),
};

function openai(url: string, model: string, useResponsesApi: boolean): BaseChatModel {
  const configuration = { baseURL: `${url}/v1` };
  return new ChatOpenAI({ model, apiKey: KEY, configuration, useResponsesApi, maxRetries: 0 });
}

const WEATHER = {
  name: "get_weather",
  description: "The weather in a city",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describeOnEachUpstream("LangChain", (place) => {
  describe.each(Object.entries(PACKAGES))("with its package for %s", (name, create) => {
    const model = (): BaseChatModel => create(place().url, place().upstream.model);

    test("gets a response", async () => {
      const answer = await model().invoke("Reply with exactly: pong");

      expect(answer.text).toBe("pong");
      expect(answer).toMatchObject({ usage_metadata: { input_tokens: expect.any(Number) } });
    });

    test("streams a response", async () => {
      let text = "";
      for await (const chunk of await model().stream("Reply with exactly: one two three")) {
        text += chunk.text;
      }

      expect(text).toBe("one two three");
    });

    test("calls tools and uses their results", async () => {
      const bound = model().bindTools?.([WEATHER]);
      if (bound === undefined) throw new Error("This model takes no tools.");
      // Its package for the native style writes the results of parallel calls apart from each
      // other, which that style's vendor refuses, and a request of the same style is not rewritten.
      const isRefused = name === "google" && place().upstream.id === "gemini";
      const cities = isRefused ? ["Paris"] : ["Paris", "Rome"];
      const messages: BaseMessage[] = [
        new HumanMessage(`What is the weather in ${cities.join(" and in ")}?`),
      ];

      const first = await bound.invoke(messages);
      const calls = first.tool_calls ?? [];
      expect(calls.map((call) => [call.name, call.args])).toEqual(
        cities.map((city) => ["get_weather", { city }]),
      );
      messages.push(first);
      for (const [at, call] of calls.entries()) {
        const content = `Sunny, ${20 + at} degrees`;
        messages.push(new ToolMessage({ content, tool_call_id: call.id ?? "", name: call.name }));
      }

      const second = await bound.invoke(messages);
      for (const at of cities.keys()) expect(second.text).toContain(`${20 + at} degrees`);
    });
  });
});

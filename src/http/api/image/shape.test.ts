import { expect, test } from "bun:test";
import { generations } from "#styles/image/openai/index.ts";
import { shapeFor, type ImageShape } from "./shape.ts";

const shape = (headers: Readonly<Record<string, string>>, setting: ImageShape = "auto") =>
  shapeFor({ headers: new Headers(headers) }, setting) === generations ? "openai" : "envelope";

test.each<[string, Readonly<Record<string, string>>]>([
  [
    "openai for JavaScript and Python",
    { "x-stainless-lang": "js", "user-agent": "OpenAI/JS 7.57.0" },
  ],
  ["openai-go and openai-java", { "x-stainless-lang": "go", "user-agent": "OpenAI/Go 3.0.0" }],
  ["OpenAI for .NET", { "user-agent": "OpenAI/2.8.0 (.NET 10.0.0; Linux)" }],
  ["a client with an organization", { "user-agent": "x/1", "openai-organization": "org-1" }],
  ["Azure's clients", { "user-agent": "x/1", "api-key": "k" }],
  ["AI SDK 6", { "user-agent": "ai/6.0.1 ai-sdk/provider-utils/4.0.0 runtime/node.js/24" }],
  ["AI SDK 7", { "user-agent": "ai-sdk-provider-utils/5.0.4 runtime/node.js/24" }],
  ["LangChain", { "user-agent": "langchainjs-openai/1.0.0" }],
  ["go-openai", { "user-agent": "Go-http-client/1.1", accept: "application/json" }],
  ["async-openai", { accept: "*/*" }],
  ["a client with an empty name", { accept: "*/*", "user-agent": "" }],
  ["Ark's clients", { "user-agent": "volc-sdk-python/4.0.45" }],
])("a client that expects OpenAI's format is recognised: %s", (_client, headers) => {
  expect(shape(headers)).toBe("openai");
  expect(shape({ ...headers, "sluice-shape": "envelope" })).toBe("envelope");
  expect(shape(headers, "envelope")).toBe("envelope");
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["curl", { "user-agent": "curl/8.5.0", accept: "*/*" }],
  ["a program in Go", { "user-agent": "Go-http-client/1.1" }],
  ["a program in Python", { "user-agent": "python-requests/2.32.5", accept: "*/*" }],
  ["a browser", { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)", accept: "*/*" }],
])("any other client gets the envelope by default: %s", (_client, headers) => {
  expect(shape(headers)).toBe("envelope");
  expect(shape({ ...headers, "sluice-shape": "openai" })).toBe("openai");
  expect(shape(headers, "openai")).toBe("openai");
});

import { expect, test } from "bun:test";
import { isInference, operationOf } from "./operation.ts";

test("a style has the operation of the conventions, or its own name", () => {
  expect(
    ["chat", "messages", "responses", "gemini", "embeddings", "sora"].map(operationOf),
  ).toEqual(["chat", "chat", "chat", "generate_content", "embeddings", "sora"]);
});

test("only text of a model is inference", () => {
  expect(["chat", "generate_content", "text_completion", "embeddings"].map(isInference)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

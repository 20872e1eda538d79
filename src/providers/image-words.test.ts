import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { builtFor } from "#test/built-pictures.ts";
import { ark } from "./ark.ts";
import { dashscope } from "./dashscope.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";

const PICTURE = "data:image/png;base64,AAAA";
const JOINED = "A fox\nin snow\nat night";

/** The same words in all the places where callers put them. */
const SAID: readonly (readonly [string, JsonObject])[] = [
  ["a prompt", { prompt: JOINED }],
  [
    "contents and a prompt",
    {
      contents: [{ role: "user", parts: [{ text: "A fox" }, { text: "in snow" }] }],
      prompt: "at night",
    },
  ],
  [
    "messages and a prompt",
    {
      input: {
        messages: [
          { role: "user", content: [{ text: "A fox" }] },
          { role: "user", content: [{ text: "in snow" }] },
        ],
      },
      prompt: "at night",
    },
  ],
  [
    "contents, messages and a prompt",
    {
      prompt: "at night",
      input: { messages: [{ role: "user", content: [{ text: "in snow" }] }] },
      contents: [{ role: "user", parts: [{ text: "A fox" }] }],
    },
  ],
];

/** A model of each family, and what it is told. */
const FAMILIES: readonly (readonly [string, Provider, string, object])[] = [
  ["B", ark, "doubao-seedream-4-0-250828", { prompt: JOINED }],
  ["C", openai, "gpt-image-1", { prompt: JOINED }],
  [
    "D",
    dashscope,
    "qwen-image-plus",
    { input: { messages: [{ role: "user", content: [{ text: JOINED }] }] } },
  ],
  ["D, in tasks", dashscope, "wan2.2-t2i-plus", { input: { prompt: JOINED } }],
  ["of words alone", gemini, "imagen-4.0-generate-001", { instances: [{ prompt: JOINED }] }],
];

for (const [where, body] of SAID) {
  test.each(FAMILIES)(`[A4.11-a] texts in ${where} are joined for family %s`, (...family) => {
    const [, provider, model, told] = family;

    const { bodies, lost } = builtFor(provider, { model, ...body });

    expect(bodies).toEqual([expect.objectContaining(told)]);
    expect(lost).toEqual([]);
  });

  test(`[A4.11-b] texts in ${where} reach family A in order`, () => {
    const { bodies } = builtFor(gemini, { model: "gemini-2.5-flash-image", ...body });

    const turns = listOf(bodies[0]?.["contents"]);
    const parts = turns.flatMap((turn) => listOf(memberOf(turn, "parts")));
    expect(parts.map((part) => textOf(memberOf(part, "text"))).join("\n")).toBe(JOINED);
  });
}

test("[A4.11-e] text has the position of the first text among the images", () => {
  const content = [{ image: PICTURE }, { text: "Put it" }, { image: PICTURE }, { text: "on it" }];
  const body = {
    model: "qwen-image-edit-plus",
    input: { messages: [{ role: "user", content }] },
    prompt: "at night",
  };

  expect(builtFor(dashscope, body).bodies[0]?.["input"]).toEqual({
    messages: [
      {
        role: "user",
        content: [{ image: PICTURE }, { text: "Put it\non it\nat night" }, { image: PICTURE }],
      },
    ],
  });
});

import { expect, test } from "bun:test";
import { chat } from "./chat/index.ts";
import { gemini } from "./gemini/index.ts";
import { messages } from "./messages/index.ts";
import { responses } from "./responses/index.ts";

const TEXT = "Be brief.";
const MARK = { cache_control: { type: "ephemeral" } };
const ASKED = { role: "user", content: "hi" };

test.each([
  [
    "chat: a message before the conversation",
    chat,
    { messages: [ASKED] },
    { messages: [{ role: "system", content: TEXT }, ASKED] },
  ],
  [
    "chat: in the caller's own first instruction",
    chat,
    { messages: [{ role: "developer", content: "x", name: "n" }, ASKED] },
    { messages: [{ role: "developer", content: `${TEXT}\n\nx`, name: "n" }, ASKED] },
  ],
  [
    "chat: a part before the caller's marked parts",
    chat,
    { messages: [{ role: "system", content: [{ type: "text", text: "x", ...MARK }] }] },
    {
      messages: [
        {
          role: "system",
          content: [
            { type: "text", text: TEXT },
            { type: "text", text: "x", ...MARK },
          ],
        },
      ],
    },
  ],
  ["messages: without a system prompt", messages, {}, { system: TEXT }],
  ["messages: before a text", messages, { system: "x" }, { system: `${TEXT}\n\nx` }],
  [
    "messages: a block without a mark, before marked blocks",
    messages,
    { system: [{ type: "text", text: "x", ...MARK }] },
    {
      system: [
        { type: "text", text: TEXT },
        { type: "text", text: "x", ...MARK },
      ],
    },
  ],
  [
    "responses: a message, because instructions are repeated in answers",
    responses,
    { instructions: "x", input: [ASKED] },
    { input: [{ type: "message", role: "developer", content: TEXT }, ASKED] },
  ],
  [
    "responses: before a text",
    responses,
    { input: "hi" },
    {
      input: [
        { type: "message", role: "developer", content: TEXT },
        { type: "message", ...ASKED },
      ],
    },
  ],
  [
    "gemini: without a system instruction",
    gemini,
    { contents: [] },
    { systemInstruction: { parts: [{ text: TEXT }] } },
  ],
  [
    "gemini: the first part, in the caller's spelling",
    gemini,
    { system_instruction: { role: "user", parts: { text: "x" } } },
    { system_instruction: { role: "user", parts: [{ text: TEXT }, { text: "x" }] } },
  ],
  [
    "gemini: the first turn next to cached content",
    gemini,
    { cachedContent: "c", contents: [{ role: "user", parts: [] }] },
    {
      contents: [
        { role: "user", parts: [{ text: TEXT }] },
        { role: "user", parts: [] },
      ],
    },
  ],
])("a channel's system prompt: %s", (_what, { outbound }, body, edits) => {
  expect(outbound.withSystemPrompt(body, TEXT)).toEqual(edits);
});

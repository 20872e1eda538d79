import { expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import { withSystemPrompt } from "./with-system-prompt.ts";

const REQUEST: ChatRequest = {
  model: "m",
  messages: [
    { role: "system", blocks: [{ type: "text", text: "Be brief." }] },
    { role: "user", blocks: [{ type: "text", text: "Hello." }] },
  ],
  stream: false,
  sampling: {},
};

test("the system prompt of a channel is in front of the client's own", () => {
  expect(withSystemPrompt(REQUEST, { systemPrompt: "Be kind." })).toEqual({
    ...REQUEST,
    messages: [
      { role: "system", blocks: [{ type: "text", text: "Be kind." }] },
      ...REQUEST.messages,
    ],
  });
});

test("a request to a channel without one stays as it is", () => {
  expect(withSystemPrompt(REQUEST, {})).toBe(REQUEST);
});

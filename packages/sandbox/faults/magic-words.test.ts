import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson } from "../json.ts";
import { startSandbox, type Sandbox } from "../server.ts";
import { answerTo, asObject, ask, at, post, streamText, textIn } from "../testing/chat.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("several faults can apply to one response", async () => {
  const text = await streamText(
    sandbox,
    "Say hi there [[fault:crlf]] [[fault:nodone]] [[fault:nousage]]",
  );

  expect(text).toContain("\r\n\r\n");
  expect(text).not.toContain("[DONE]");
  expect(text).not.toContain('"usage"');
  expect(textIn(text)).toBe("hi there");
});

test("a misspelt fault is refused", async () => {
  const refusals = [
    "[[fault:rest]]",
    "[[fault:reset byte=1]]",
    "[[fault:status code=200]]",
    "[[fault:redirect]]",
  ].map(async (words) => {
    const response = await post(sandbox, ask(`Say hi ${words}`));
    return [response.status, at(asObject(parseJson(await response.text())), "error", "code")];
  });

  expect(await Promise.all(refusals)).toEqual(Array(4).fill([400, "sandbox"]));
});

test("fault words of earlier messages have no effect", async () => {
  const answer = await answerTo(sandbox, {
    model: "gpt-4o",
    messages: [
      { role: "user", content: "hi [[fault:status code=500]]" },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "Say bye" },
    ],
  });

  expect(at(answer, "choices", 0, "message", "content")).toBe("bye");
});

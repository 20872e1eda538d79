import { expect, test } from "bun:test";
import { ownWords } from "./own-words.ts";

test.each([
  [
    "context around the prompt",
    "<system-reminder>\nUse tools, and files.\n</system-reminder>\nRead a.txt",
    "Read a.txt",
  ],
  [
    "several of them, before and behind",
    "<session_context>1</session_context>Read <system-reminder>2</system-reminder>it<user_instructions>3</user_instructions>",
    "Read it",
  ],
  [
    "one inside another",
    "<session_context><system-reminder>1</system-reminder>2</session_context>Read",
    "Read",
  ],
])("an agent's context is not part of the user's text: %s", (_what, text, own) => {
  expect(ownWords(text)).toBe(own);
});

test.each([
  ["nothing else", "<environment_context>linux</environment_context>"],
  ["no end", "<system-reminder>Read a.txt"],
  ["other tags", " <b>Read</b> <context>a.txt</context> "],
])("a turn is unchanged with %s", (_what, text) => {
  expect(ownWords(text)).toBe(text);
});

test("many unclosed openings take no time", () => {
  const text = "<system-reminder>".repeat(500_000);

  const startedAt = performance.now();
  expect(ownWords(text)).toBe(text);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

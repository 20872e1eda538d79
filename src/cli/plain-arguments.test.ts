import { expect, test } from "bun:test";
import { unexpectedWord } from "./plain-arguments.ts";

test.each([
  ["doctor", ["--json"], undefined],
  ["start", ["--dev"], undefined],
  ["keys", ["anything"], undefined],
  ["doctor", ["--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"],
  ["health", ["main"], "Unexpected argument 'main'."],
  ["start", ["--dev", "--port=80"], "Unknown option '--port=80'."],
])("the command %s with %j takes options that it has, and nothing else", (command, words, why) => {
  expect(unexpectedWord(command, words)).toBe(why as string);
});

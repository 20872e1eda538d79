import { expect, test } from "bun:test";
import { countTokens } from "./tokens.ts";
import { PendingOutput } from "./pending-output.ts";

test("what is added while earlier text is being counted is counted too", async () => {
  const long = "A fox crosses the river. ".repeat(3_000);
  const uncounted = new PendingOutput();
  for (let i = 0; i < 4; i++) {
    uncounted.add(long);
    // The counting of what was added begins, and cannot have ended.
    await Promise.resolve();
  }

  const { text, tokens } = await uncounted.whole(" The end.");

  expect(text).toBe(" The end.");
  expect(tokens).toBe(4 * (await countTokens(long)));
});

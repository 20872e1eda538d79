import { expect, test } from "bun:test";
import { estimateInputTokens } from "./count.ts";

test("an image is not counted as a long text", () => {
  const picture = `data:image/png;base64,${"A".repeat(4_000_000)}`;
  const content = [{ type: "image_url", image_url: { url: picture } }];

  expect(estimateInputTokens({ messages: [{ role: "user", content }] })).toBeLessThan(2_000);
});

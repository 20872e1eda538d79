import { expect, test } from "bun:test";
import { aCall } from "#test/a-call.ts";
import type { Retired } from "./route.ts";
import { unknownModel } from "./unknown-model.ts";

function messageFor(model: string, nearest?: string, retired?: Retired): string {
  const { code, param, message } = unknownModel(aCall().key, model, {
    nearestTo: () => nearest,
    retiredFor: () => retired,
  });
  expect([code, param]).toEqual(["model_not_found", "model"]);
  return message;
}

test("an unknown model is named, with the name that is nearest to it", () => {
  expect(messageFor("gtp-9")).toBe("The model 'gtp-9' does not exist.");
  expect(messageFor("gtp-9", "gpt-9")).toBe(
    "The model 'gtp-9' does not exist. Did you mean 'gpt-9'?",
  );
});

test("a retired model is named with the day and its successor", () => {
  const since = "2026-09-24";

  expect(messageFor("old", "older", { since, successor: "new" })).toBe(
    "The vendor of 'old' stopped serving it on 2026-09-24. The nearest model that is served here is 'new'.",
  );
  expect(messageFor("old", undefined, { since, successor: undefined })).toBe(
    "The vendor of 'old' stopped serving it on 2026-09-24. No model that is served here does the same.",
  );
});

test("a long name is cut in the message", () => {
  const cut = `'${"x".repeat(128)}'`;
  const retired = { since: "2026-09-24", successor: undefined };

  expect(messageFor("x".repeat(129))).toContain(cut);
  expect(messageFor("x".repeat(129), undefined, retired)).toContain(cut);
});

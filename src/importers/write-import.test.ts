import { expect, test } from "bun:test";
import { objectOf, listOf } from "#lib/values.ts";
import { ImportDraft } from "./draft.ts";
import { writeImport } from "./write-import.ts";

test("odd values of one object stay within the bounds of the route", () => {
  const draft = new ImportDraft("new-api");
  draft.leave("options", "x".repeat(5_000));
  draft.keys.push({
    ref: "1",
    name: "k",
    changes: Array.from({ length: 200 }, () => "changed"),
    budgets: [],
    user: "1",
    secret: { text: "sk-one" },
    isEnabled: true,
    expiresAt: 1_893_456_000_000_000,
    models: ["*"],
    limits: { requestsPerMinute: 1e12 },
  });

  const { left, keys } = writeImport(draft.document);

  expect(objectOf(listOf(left)[0])?.["why"]).toHaveLength(2_000);
  const [key] = listOf(keys).map(objectOf);
  expect(listOf(key?.["changes"])).toHaveLength(100);
  expect([key?.["expires_at"], key?.["rpm"]]).toEqual([undefined, 1_000_000_000]);
});

import { expect, test } from "bun:test";
import type { ModelKind } from "#core/model.ts";
import { nativeModelList } from "./native.ts";

const methodsOf = (kind: ModelKind | undefined): unknown => {
  const traits = kind === undefined ? {} : { kind };
  const model = { id: "some", owner: "somebody", createdAt: 0, traits, price: undefined };
  return nativeModelList.one(model, 0)["supportedGenerationMethods"];
};

test("[A4.2-c] a model is listed with what it can be asked, so that callers find one that they can use", () => {
  expect(methodsOf("chat")).toContain("generateContent");
  expect(methodsOf("image")).toContain("generateContent");
  expect(methodsOf("embedding")).toEqual(["embedContent", "batchEmbedContents"]);
  expect(methodsOf("video")).toEqual(["predictLongRunning"]);
  expect(methodsOf("rerank")).toEqual([]);
  expect(methodsOf("speech")).toEqual([]);
});

test("a model of which nothing is known is taken for one that converses", () => {
  expect(methodsOf(undefined)).toContain("generateContent");
});

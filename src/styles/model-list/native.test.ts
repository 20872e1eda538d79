import { expect, test } from "bun:test";
import type { ModelKind } from "#core/model.ts";
import { nativeModelList } from "./native.ts";

const methodsOf = (kind: ModelKind | undefined): unknown => {
  const traits = kind === undefined ? {} : { kind };
  const model = { id: "some", owner: "somebody", createdAt: 0, traits, price: undefined };
  return nativeModelList.one(model, 0)["supportedGenerationMethods"];
};

test("[A4.2-c] a model is listed with its methods, so that clients find a suitable one", () => {
  expect(methodsOf("chat")).toContain("generateContent");
  expect(methodsOf("image")).toContain("generateContent");
  expect(methodsOf("embedding")).toEqual(["embedContent", "batchEmbedContents"]);
  expect(methodsOf("video")).toEqual(["predictLongRunning"]);
  expect(methodsOf("rerank")).toEqual([]);
  expect(methodsOf("speech")).toEqual([]);
});

test("a model without known facts is listed as a text model", () => {
  expect(methodsOf(undefined)).toContain("generateContent");
});

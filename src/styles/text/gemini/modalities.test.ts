import { expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import { readRequest } from "./request/facts.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

function asking(...responseModalities: string[]) {
  const contents = [{ role: "user", parts: [{ text: "A fox." }] }];
  const body = { contents, generationConfig: { responseModalities } };
  return parseRequest(body, readRequest(body, { model: "m" }));
}

test("a video is requested in the client's notation if the style supports it", () => {
  const built = buildRequest(asking("VIDEO"), { report: new LossReport(), model: {} });
  expect(built["generationConfig"]).toEqual({ responseModalities: ["VIDEO"] });
});

test("a video request is not silently answered with text by other styles", () => {
  const { extra } = asking("TEXT", "VIDEO");
  expect(() => new LossReport().loseForeign(extra, "chat")).toThrow("video");
  expect(asking("TEXT", "IMAGE").extra).toBeUndefined();
});

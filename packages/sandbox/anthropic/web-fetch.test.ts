import { expect, test } from "bun:test";
import { readPrompt } from "../engine/prompt.ts";
import type { ServerToolLimits } from "./tools.ts";
import { fetchPage } from "./web-fetch.ts";

const OPEN: ServerToolLimits = { maxUses: 2, allowedDomains: undefined, blockedDomains: [] };

function outcome(url: string, limits: Partial<ServerToolLimits> = {}, uses = 0): unknown {
  const prompt = readPrompt([{ role: "user", text: "Read https://a.example/x", media: [] }]);
  const { result } = fetchPage({ ...OPEN, ...limits }, { url }, { prompt, uses, nowMs: 0 });
  return "error_code" in result ? result.error_code : "fetched";
}

test("a page that the user named is fetched, up to the allowed number", () => {
  expect([0, 1, 2].map((uses) => outcome("https://a.example/x", {}, uses))).toEqual([
    "fetched",
    "fetched",
    "max_uses_exceeded",
  ]);
});

test("other URLs and invalid ones are not fetched", () => {
  expect(outcome("https://a.example/y")).toBe("url_not_in_prior_context");
  expect(outcome("a page")).toBe("invalid_tool_input");
});

test("domains are allowed and blocked with their subdomains", () => {
  const url = "https://a.example/x";

  expect(outcome(url, { allowedDomains: ["example"] })).toBe("fetched");
  expect(outcome(url, { allowedDomains: ["b.example"] })).toBe("url_not_allowed");
  expect(outcome(url, { allowedDomains: ["ample"] })).toBe("url_not_allowed");
  expect(outcome(url, { blockedDomains: ["a.example"] })).toBe("url_not_allowed");
});

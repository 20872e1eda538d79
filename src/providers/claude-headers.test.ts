import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { claudeHeaders, claudeHeadersWithoutVersion } from "./claude-headers.ts";

const NO_CALLER = (): undefined => undefined;
const AT_VENDOR = { options: {}, isVendors: true, ofCaller: NO_CALLER };

function versionFor(body: JsonObject, context = AT_VENDOR): string | undefined {
  return claudeHeaders(body, NO_CALLER, context)["anthropic-version"];
}

const document = { type: "document", source: { type: "text", data: "x" } };
const cited = { type: "text", text: "x", citations: [{ type: "char_location" }] };
const turn = (role: string, block: JsonObject): JsonObject => ({
  messages: [{ role, content: [block] }],
});

test.each<[string, JsonObject]>([
  ["nothing special", { messages: [{ role: "user", content: "hi" }] }],
  ["documents of the user", turn("user", document)],
  ["citations of the assistant", turn("assistant", cited)],
])("a body with %s is sent in the newest version", (_what, body) => {
  expect(versionFor(body)).toBe("2026-10-21");
});

test.each<[string, JsonObject]>([
  ["a temperature", { temperature: 1 }],
  ["documents of the assistant", turn("assistant", document)],
  ["citations of the user", turn("user", cited)],
  ["citations in a result", turn("user", { type: "search_result", content: [cited] })],
])("a body with %s is sent in the version that supports it", (_what, body) => {
  expect(versionFor(body)).toBe("2023-06-01");
});

test("a channel's own version takes precedence over both, and the client's over that", () => {
  const context = { ...AT_VENDOR, options: { version: "2027-01-01" } };
  expect(versionFor({}, context)).toBe("2027-01-01");
  const ofCaller = (name: string) => (name === "anthropic-version" ? "2023-01-01" : undefined);
  expect(claudeHeaders({}, ofCaller, context)["anthropic-version"]).toBe("2023-01-01");
});

test("a client cannot exceed the vendors' limit for headers", () => {
  const names = Array.from({ length: 100 }, (_, index) => `anthropic-x-${index}`);
  const ofCaller = Object.assign(
    (name: string) => (name === "anthropic-x-0" ? "x".repeat(10_000) : "1"),
    { names: () => names },
  );
  expect(Object.keys(claudeHeaders({}, ofCaller, AT_VENDOR)).length).toBeLessThan(40);
  expect(claudeHeaders({}, ofCaller, AT_VENDOR)).not.toHaveProperty("anthropic-x-0");
});

test("a host with the version in the body gets none in the headers", () => {
  const ofCaller = Object.assign((name: string) => `value of ${name}`, {
    names: () => ["anthropic-version", "anthropic-workspace-id"],
  });
  const headers = claudeHeadersWithoutVersion({ fallbacks: "default" }, ofCaller);

  expect(headers).not.toHaveProperty("anthropic-version");
  expect(headers["anthropic-workspace-id"]).toBe("value of anthropic-workspace-id");
  expect(headers["anthropic-beta"]).toContain("server-side-fallback-2026-07-01");
});

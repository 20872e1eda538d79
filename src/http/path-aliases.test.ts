import { expect, test } from "bun:test";
import { hidingAliases, pathAliases } from "./path-aliases.ts";

const ALIASES = [
  { from: "/seedance", to: "/videoa" },
  { from: "/v1/films", to: "/v1/videos" },
  { from: "/v1/films/old", to: "/videod" },
];

test.each([
  ["/seedance/api/v3/contents/generations/tasks", "/videoa/api/v3/contents/generations/tasks"],
  ["/seedance", "/videoa"],
  ["/seedance/", "/videoa/"],
  ["/seedances/api", "/seedances/api"],
  ["/v1/films/7", "/v1/videos/7"],
  ["/v1/films/old/7", "/videod/7"],
  ["/v1/films/older", "/v1/videos/older"],
  ["/v1/chat/completions", "/v1/chat/completions"],
  ["/x/seedance/api", "/x/seedance/api"],
  ["/", "/"],
  ["", ""],
])("%s maps to %s", (asked, known) => {
  expect(pathAliases(ALIASES)(asked)).toBe(known);
});

test("without aliases a path is unchanged", () => {
  expect(pathAliases([])("/seedance/api")).toBe("/seedance/api");
});

test("an alias that would hide one of the gateway's own paths is found", () => {
  const own = ["/v1/models", "/v1/films/:id", "/livez", "/readyz"].map(served);

  expect(hidingAliases(ALIASES, own)).toEqual([{ from: "/v1/films", to: "/v1/videos" }]);
  expect(hidingAliases([{ from: "/v1", to: "/videoa" }], own)).toHaveLength(1);
  expect(hidingAliases([{ from: "/liv", to: "/videoa" }], own)).toEqual([]);
  expect(hidingAliases([{ from: "/livez", to: "/readyz" }], own)).toHaveLength(1);
});

test("an alias to the same operations hides nothing", () => {
  const own = ["/films/:id", "/videoa/films/:id"].map((path) => served(path, "One film."));

  expect(hidingAliases([{ from: "/films", to: "/videoa/films" }], own)).toEqual([]);
});

function served(path: string, summary: unknown) {
  const text = typeof summary === "string" ? summary : `What is at ${path}.`;
  return { method: "GET" as const, path, summary: text };
}

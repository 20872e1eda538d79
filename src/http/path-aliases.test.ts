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
])("%s leads to %s", (asked, known) => {
  expect(pathAliases(ALIASES)(asked)).toBe(known);
});

test("without aliases a path is what it is", () => {
  expect(pathAliases([])("/seedance/api")).toBe("/seedance/api");
});

test("an alias that would hide a path of the gateway's own is found", () => {
  const own = ["/v1/models", "/v1/films/:id", "/livez"];

  expect(hidingAliases(ALIASES, own)).toEqual([{ from: "/v1/films", to: "/v1/videos" }]);
  expect(hidingAliases([{ from: "/v1", to: "/videoa" }], own)).toHaveLength(1);
  expect(hidingAliases([{ from: "/liv", to: "/videoa" }], own)).toEqual([]);
});

import { expect, test } from "bun:test";
import { AGENTS } from "./agents.ts";
import { pickAgents } from "./pick.ts";

const upstreams = [{ id: "chat" }, { id: "gemini" }];
const ids = (...words: string[]) => pickAgents(words, AGENTS, upstreams).agents.map(({ id }) => id);

test("without a word everything runs", () => {
  expect(ids()).toEqual(AGENTS.map(({ id }) => id));
  expect(pickAgents([], AGENTS, upstreams).upstreams).toEqual(["chat", "gemini"]);
});

test("words pick agents by name, and upstreams behind 'on:'", () => {
  expect(ids("codex", "pi gemini")).toEqual(["codex", "pi gemini"]);
  expect(pickAgents(["on:gemini"], AGENTS, upstreams).upstreams).toEqual(["gemini"]);
});

test.each(["cobol", "on:cobol"])(
  "'%s', which is nobody's name, does not pass for a full run",
  (word) => {
    expect(() => pickAgents(["codex", word], AGENTS, upstreams)).toThrow("cobol");
  },
);

import { expect, test } from "bun:test";
import { AGENTS } from "./agents.ts";
import { pickAgents } from "./pick.ts";

const upstreams = [{ id: "chat" }, { id: "gemini" }];
const ids = (...words: string[]) => pickAgents(words, AGENTS, upstreams).agents.map(({ id }) => id);

test("all agents run without arguments", () => {
  expect(ids()).toEqual(AGENTS.map(({ id }) => id));
  expect(pickAgents([], AGENTS, upstreams).upstreams).toEqual(["chat", "gemini"]);
});

test("arguments select agents by name, and upstreams after 'on:'", () => {
  expect(ids("codex", "pi gemini")).toEqual(["codex", "pi gemini"]);
  expect(pickAgents(["on:gemini"], AGENTS, upstreams).upstreams).toEqual(["gemini"]);
});

test.each(["cobol", "on:cobol"])(
  "'%s', which is no agent's name, does not start a full run",
  (word) => {
    expect(() => pickAgents(["codex", word], AGENTS, upstreams)).toThrow("cobol");
  },
);

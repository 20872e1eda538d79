import { expect, test } from "bun:test";
import type { Cell } from "./run.ts";
import { agentsNotes, agentsTable } from "./table.ts";

const fine: Cell = {
  agent: "pi chat",
  style: "chat",
  upstream: "messages",
  isInstalled: true,
  trouble: undefined,
  lost: [],
  durationMs: 1,
};
const cells: readonly Cell[] = [
  fine,
  { ...fine, upstream: "gemini", lost: ["store"] },
  { ...fine, agent: "codex", style: "responses", trouble: "no tool has read the file" },
  { ...fine, agent: "codex", style: "responses", upstream: "gemini", lost: ["store"] },
  { ...fine, agent: "qwen", isInstalled: false, trouble: "404" },
  { ...fine, agent: "qwen", upstream: "gemini", isInstalled: false, trouble: "404" },
];

test("the table has the result of each agent and upstream", () => {
  expect(agentsTable(cells).split("\n")).toEqual([
    "agent    speaks     on messages    on gemini",
    "pi chat  chat       ok             ok*",
    "codex    responses  FAIL           ok*",
    "qwen     chat       not installed  not installed",
  ]);
});

test("the notes list losses, missing parts and failures, each once", () => {
  expect(agentsNotes(cells).split("\n")).toEqual([
    "* 'store' is not carried, and said so: pi chat on gemini; codex on gemini",
    "NOT INSTALLED qwen on messages, gemini: 404",
    "FAIL codex on messages: no tool has read the file",
  ]);
});

import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { completionScript } from "./completion.ts";
import { describeHelp, helpAskedFor, unknownCommand, type Command } from "./help.ts";

const COMMANDS: readonly Command[] = [
  { name: "start", rows: [["start", "runs the gateway"]], words: [] },
  {
    name: "keys",
    rows: [["keys list", "lists keys"]],
    words: ["list", "create", "--models", "--json"],
  },
];

describe("help", () => {
  test.each([
    ["help", ""],
    ["--help", ""],
    ["-h", ""],
    ["help --help", ""],
    ["help keys", "keys"],
    ["keys --help", "keys"],
    ["keys create ci -h", "keys"],
    ["start --help", "start"],
  ])("is asked for by '%s'", (line, name) => {
    expect(helpAskedFor(line.split(" "))).toBe(name);
  });

  test.each([[""], ["start"], ["keys create help"]])("is not asked for by '%s'", (line) => {
    expect(helpAskedFor(line.split(" "))).toBeUndefined();
  });

  test("has all commands, or one, or none of that name", () => {
    expect(describeHelp("", COMMANDS)).toContain("runs the gateway");
    expect(describeHelp("keys", COMMANDS)).toContain("lists keys");
    expect(describeHelp("keys", COMMANDS)).not.toContain("runs the gateway");
    expect(describeHelp("kees", COMMANDS)).toBeUndefined();
  });

  test("suggests the command that a misspelt one resembles", () => {
    expect(unknownCommand("kees", COMMANDS)).toBe("Unknown command 'kees'. Did you mean 'keys'?\n");
    expect(unknownCommand("nothing", COMMANDS)).toBe("Unknown command 'nothing'.\n");
  });
});

describe("completion", () => {
  test.each([
    [["sluice", "k"], ["keys"]],
    [
      ["sluice", ""],
      ["start", "keys"],
    ],
    [["sluice", "keys", "cr"], ["create"]],
    [["sluice", "keys", "create", "--m"], ["--models"]],
    [["sluice", "start", "x"], []],
  ])("in bash completes %j to %j", (words, expected) => {
    const script = completionScript("bash", COMMANDS) ?? "";
    const line = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;

    const { stdout, stderr } = spawnSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" });

    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((each) => each !== "")).toEqual(expected);
  });

  test.each(["zsh", "fish"])("in %s knows each command and its words", (shell) => {
    const script = completionScript(shell, COMMANDS) ?? "";

    expect(script).toContain("start keys");
    expect(script).toContain("list create --models --json");
  });

  test("of an unknown shell does not exist", () => {
    expect(completionScript("csh", COMMANDS)).toBeUndefined();
    expect(completionScript(undefined, COMMANDS)).toBeUndefined();
  });
});

import { expect, test } from "bun:test";
import { mutantsOf } from "./mutants.ts";

function changesOf(source: string): readonly string[] {
  return mutantsOf("a.ts", source).map(({ change }) => change);
}

test("mutants move a bound, invert a condition, and remove a statement", () => {
  const changes = changesOf(`
    function close(held: number, spent: number): number {
      if (held > spent) release(held - spent);
      return Math.max(held, spent);
    }`);

  expect(changes).toEqual([
    "held > spent -> false",
    "held > spent -> true",
    "> -> >=",
    "release(held - spent); -> ;",
    "- -> +",
    "max -> min",
  ]);
});

test("each mutant differs from the file in one place, and says on which line", () => {
  const source = "const isOpen = !closed;\nconst limit = asked ?? most;\n";

  expect(mutantsOf("a.ts", source)).toEqual([
    {
      line: 1,
      change: "!closed -> closed",
      text: "const isOpen = closed;\nconst limit = asked ?? most;\n",
    },
    {
      line: 2,
      change: "asked ?? most -> most",
      text: "const isOpen = !closed;\nconst limit = most;\n",
    },
  ]);
});

test("a method of every object is not replaced", () => {
  expect(changesOf("const text = amount.toString();")).toEqual([]);
});

test("text is not changed", () => {
  expect(changesOf('const text = "a > b" + name; // a && b\ntype Yes = "x" | "y";')).toEqual([]);
});

test("a file that does not parse is refused with the position", () => {
  expect(() => mutantsOf("a.ts", "const = ;")).toThrow("Unexpected token (1:6)");
});

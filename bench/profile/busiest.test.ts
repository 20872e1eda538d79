import { expect, test } from "bun:test";

import { sharesOf } from "./busiest.ts";

test("a function has its own samples, and those of the functions it calls", () => {
  const frame = (functionName: string) => ({ functionName, url: "file:///p/a.ts", lineNumber: 0 });
  const nodes = [
    { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1 }, children: [2] },
    { id: 2, callFrame: frame("outer"), children: [3] },
    { id: 3, callFrame: frame("inner"), children: [4] },
    { id: 4, callFrame: frame("outer") },
  ];

  const { samples, functions } = sharesOf({ nodes, samples: [2, 3, 3, 4] }, "/p");

  expect(samples).toBe(4);
  expect(functions).toContainEqual({ name: "outer a.ts", self: 2, inclusive: 4 });
  expect(functions).toContainEqual({ name: "inner a.ts", self: 2, inclusive: 3 });
});

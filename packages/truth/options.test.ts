import { expect, test } from "bun:test";
import { optionsIn } from "./options.ts";

test("without arguments, everything is asked of this gateway in full size", () => {
  const options = optionsIn([]);

  expect(options).toMatchObject({ gateway: "sluice", scale: 1 });
  expect(options === "help" ? [] : options.only).toHaveLength(15);
});

test("a quick run makes a tenth of the calls", () => {
  expect(optionsIn(["--quick"])).toMatchObject({ scale: 0.1 });
});

test("a command is split at spaces, and a database and a file for the figures are passed on", () => {
  const args = ["--program=node  gateway.js start", "--database=postgres://x/y", "--json=out.json"];

  expect(optionsIn(args)).toMatchObject({
    program: ["node", "gateway.js", "start"],
    database: "postgres://x/y",
    jsonPath: "out.json",
  });
});

test("an unknown gateway or experiment is refused with the names that exist", () => {
  expect(() => optionsIn(["--gateway=other"])).toThrow("Use one of sluice, litellm,");
  expect(() => optionsIn(["--only=calls,nothing"])).toThrow(
    "There is no experiment 'nothing'. Use some of calls,",
  );
});

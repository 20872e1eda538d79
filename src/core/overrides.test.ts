import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { LossReport } from "./lossy.ts";
import { bodyOverrides, overridden, type ValueChanges } from "./overrides.ts";
import type { Json } from "#lib/json.ts";

function changed(body: JsonObject, changes: ValueChanges<Json>): [JsonObject, readonly string[]] {
  const report = new LossReport();
  const edits = bodyOverrides(body, changes, report);
  return [JSON.parse(JSON.stringify({ ...body, ...edits })) as JsonObject, report.fields];
}

test("members of a body are set, set if absent, and removed by their paths", () => {
  const body = { a: { b: 1, c: [2], d: { e: 3 } }, f: "x", g: 4 };

  const [after, lost] = changed(body, {
    set: { "a.b": 9, "new.deep.member": true },
    default: { f: "y", "a.d.z": 5 },
    remove: ["g", "a.d.e", "absent.member"],
  });

  expect(after).toEqual({
    a: { b: 9, c: [2], d: { z: 5 } },
    f: "x",
    new: { deep: { member: true } },
  });
  expect(lost).toEqual(["g", "a.d.e"]);
  expect(body).toEqual({ a: { b: 1, c: [2], d: { e: 3 } }, f: "x", g: 4 });
});

test("a value that has no members is not replaced by a path into it", () => {
  const [after, lost] = changed(
    { list: [1], text: "x" },
    { set: { "list.a": 1, "text.a": 1 }, remove: ["list.b"] },
  );

  expect(after).toEqual({ list: [1], text: "x" });
  expect(lost).toEqual([]);
});

test("a value with the placeholder of the credential is neither replaced nor removed", () => {
  const values = { key: "PLACE", other: "1", gone: "2" };

  const after = overridden(values, { set: { key: "mine", more: "3" }, remove: ["gone"] }, "PLACE");
  const kept = overridden(values, { remove: ["key"], default: { other: "9" } }, "PLACE");

  expect(after).toEqual({ key: "PLACE", other: "1", more: "3" });
  expect(kept).toEqual(values);
});

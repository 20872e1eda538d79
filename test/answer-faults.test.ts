import { expect, test } from "bun:test";
import { z } from "zod";
import type { Json } from "#lib/json.ts";
import { answerFaults } from "./answer-faults.ts";

const schema = z.object({
  items: z.array(z.object({ id: z.int(), name: z.string().nullable() })),
  more: z.looseObject({}).optional(),
});

const faultsOf = (body: Json) =>
  answerFaults({ route: "GET /api/thing", status: 200, body, schema });

test("an answer that matches its schema has no fault", () => {
  expect(faultsOf({ items: [{ id: 1, name: null }], more: { any: [1] } })).toEqual([]);
});

test("a member of another type, and one that is missing, is a fault", () => {
  expect(faultsOf({ items: [{ id: "1", name: "x" }] }).join()).toContain("items.0.id");
  expect(faultsOf({ items: [{ id: 1 }] }).join()).toContain("items.0.name");
});

test("a member that the schema does not name is a fault", () => {
  expect(faultsOf({ items: [{ id: 1, name: "x", secret: true }] })).toEqual([
    "GET /api/thing (200) has members beside its schema: .items.[].secret",
  ]);
});

import { expect, test } from "bun:test";
import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { buildOpenApi } from "./openapi.ts";
import { ROUTES } from "./registry.ts";
import { TAGS } from "./tags.ts";

const document = buildOpenApi(ROUTES, "0");
const operations = Object.entries(objectOf(document["paths"]) ?? {}).flatMap(([path, methods]) =>
  Object.entries(objectOf(methods) ?? {}).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    operation: objectOf(operation) ?? {},
  })),
);

test("every operation has a unique id in camel case", () => {
  const ids = operations.map(({ operation }) => textOf(operation["operationId"]) ?? "");

  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(ids.length).toBeGreaterThanOrEqual(185);
});

test("every route has a unique operation id, also if the document shows it as several", () => {
  const ids = ROUTES.map(({ operationId }) => operationId);

  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("every operation has a tag, and every tag has a description", () => {
  const used = new Set(operations.flatMap(({ operation }) => listOf(operation["tags"])));
  const described = listOf(document["tags"]).map((tag) => isObject(tag) && tag["name"]);

  expect(operations.filter(({ operation }) => listOf(operation["tags"]).length !== 1)).toEqual([]);
  expect(new Set(described)).toEqual(used as Set<string>);
  expect(described).toEqual(Object.keys(TAGS));
});

test("every operation describes its response and its errors", () => {
  const without = operations.filter(({ operation }) => {
    const responses = objectOf(operation["responses"]) ?? {};
    const statuses = Object.keys(responses);
    const failure = objectOf(responses["default"]) ?? {};
    return (
      !statuses.some((status) => /^[123]/.test(status)) ||
      !statuses.some((status) => status.startsWith("4")) ||
      objectOf(failure["content"]) === undefined
    );
  });

  expect(without.map(({ name }) => name)).toEqual([]);
});

test("every variable path segment is a parameter with one name", () => {
  const wrong = operations.filter(({ path, operation }) => {
    const named = listOf(operation["parameters"])
      .filter((each) => memberOf(each, "in") === "path")
      .map((each) => textOf(memberOf(each, "name")));
    const steps = [...path.matchAll(/\{([^}]*)\}/g)].map(([, step]) => step ?? "");
    return named.join() !== steps.join() || /[:*]\w*\{/.test(path);
  });
  const shapes = Object.keys(objectOf(document["paths"]) ?? {}).map((path) =>
    path.replaceAll(/\{\w+\}/g, "{}"),
  );

  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([]);
});

test("every operation of the management API has a schema of its data or is marked as having none", () => {
  const schemas = objectOf(objectOf(document["components"])?.["schemas"]) ?? {};
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
  const missing = references.filter((each) => !(each.slice(21) in schemas));

  expect(missing).toEqual([]);
  const list = operations.find(({ name }) => name === "get /api/user");
  expect(answerOf(list?.operation)).toMatchObject({
    properties: {
      success: { const: true },
      data: {
        properties: { items: { items: { $ref: "#/components/schemas/ListedUser" } } },
        required: ["items"],
      },
    },
    required: ["success", "message", "data"],
  });
});

test("query parameters have their limits", () => {
  const list = operations.find(({ name }) => name === "get /api/log");

  expect(list?.operation["parameters"]).toContainEqual({
    name: "page_size",
    in: "query",
    description: "Items of a page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  });
});

function answerOf(operation: JsonObject | undefined): JsonObject | undefined {
  const responses = objectOf(operation?.["responses"]);
  const content = objectOf(objectOf(responses?.["200"])?.["content"]);
  return objectOf(objectOf(content?.["application/json"])?.["schema"]);
}

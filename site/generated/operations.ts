import { ROUTES } from "#http/registry.ts";
import type { RouteDescription, RouteOperation } from "#http/routes.ts";
import { TAGS } from "#http/tags.ts";
import { templateOf } from "#http/template.ts";
import { code, table } from "./table.ts";

const ACCESS: Readonly<Record<string, string>> = {
  public: "everyone",
  key: "an API key",
  metrics: "monitoring",
  vendor: "a vendor",
  link: "a signed link",
  mfa_pending: "user",
};

/** The names of all operations of the API, which are pages of the console. */
export function operationIds(): readonly string[] {
  return ROUTES.flatMap((route) => operationsOf(route).map(({ operationId }) => operationId));
}

/** All operations, by subject. */
export function renderOperations(): string {
  return Object.entries(TAGS)
    .map(([tag, description]) => {
      const routes = ROUTES.filter((route) => route.tag === tag && route.onlyRefuses !== true);
      return `## ${tag}\n\n${description}\n\n${table(["Request", "For", "Scope", "Purpose"], routes.flatMap(rowsOf))}`;
    })
    .join("\n\n");
}

function rowsOf(route: RouteDescription): readonly (readonly string[])[] {
  return operationsOf(route).map(({ operationId, template, summary }) => [
    `[\`${route.method} ${template}\`](/docs/api/${operationId})`,
    ACCESS[route.access] ?? route.access,
    route.scope === undefined ? "" : code(route.scope),
    summary,
  ]);
}

function operationsOf(
  route: RouteDescription,
): readonly Pick<RouteOperation, "operationId" | "template" | "summary">[] {
  const { path, template = templateOf(path), operations } = route;
  return operations ?? [{ operationId: route.operationId, summary: route.summary, template }];
}

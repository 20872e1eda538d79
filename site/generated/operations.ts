import { ROUTES } from "#http/registry.ts";

/** The names of all operations of the API, which are pages of the console. */
export function operationIds(): readonly string[] {
  return ROUTES.flatMap(({ operationId, operations }) =>
    operations === undefined ? [operationId] : operations.map((each) => each.operationId),
  );
}

import { parseJson } from "#lib/json.ts";
import { renderFailure } from "./api/envelope.ts";
import { FAILURE } from "./api/management.ts";
import type { HttpDeps } from "./deps.ts";
import type { Route } from "./routes.ts";

/** Shows an answer of the management API, with the schema of its route. */
export async function showAnswer(
  { method, path, answer, renderError }: Route<HttpDeps>,
  response: Response,
  show: NonNullable<HttpDeps["onAnswer"]>,
): Promise<void> {
  if (renderError !== renderFailure) return;
  const type = response.headers.get("content-type") ?? "";
  const schema = response.ok ? answer.content[type] : FAILURE;
  const body = parseJson(await response.clone().text());
  if (schema === undefined || body === undefined || type !== "application/json") return;
  show({ route: `${method} ${path}`, status: response.status, body, schema });
}

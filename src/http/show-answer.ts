import type { z } from "zod";
import { parseJson, type Json } from "#lib/json.ts";
import { renderFailure } from "./api/envelope.ts";
import { FAILURE } from "./api/management.ts";
import type { RouteDescription } from "./routes.ts";

export interface SeenAnswer {
  /** `GET /api/user/:id`. */
  readonly route: string;
  readonly status: number;
  readonly body: Json;
  /** What the API document says of it. */
  readonly schema: z.ZodType;
}

/** Shows an answer of the management API, with the schema of its route. */
export async function showAnswer(
  { method, path, answer, renderError }: RouteDescription,
  response: Response,
  show: (answer: SeenAnswer) => void,
): Promise<void> {
  if (renderError !== renderFailure) return;
  const type = response.headers.get("content-type") ?? "";
  const schema = response.ok ? answer.content[type] : FAILURE;
  // A stream has no end to wait for.
  if (schema === undefined || type !== "application/json") return;
  const body = parseJson(await response.clone().text());
  if (body === undefined) return;
  show({ route: `${method} ${path}`, status: response.status, body, schema });
}

import { z } from "zod";
import { schemaOf } from "#lib/rule-schema.ts";
import { USUAL_MODERATOR } from "#providers/index.ts";
import { MODERATION_REQUEST, moderations } from "#styles/moderation/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SharedDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { serveShared } from "./serve-shared.ts";

const RESULT = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(z.looseObject({ flagged: z.boolean() })),
  })
  .meta({ id: "Moderation" });

export const createModeration: Endpoint<SharedDeps> = {
  operationId: "createModeration",
  tag: "Moderation",
  answer: jsonAnswer(RESULT),
  method: "POST",
  path: "/v1/moderations",
  access: "key",
  family: "text",
  summary: "Classifies whether texts and images are harmful.",
  requestSchema: () => schemaOf(MODERATION_REQUEST),
  renderError: (error) => moderations.inbound.buildError(error),
  handle: (exchange, deps) => serveShared(exchange, moderations, deps, USUAL_MODERATOR),
};

import { z } from "zod";
import { USUAL_MODERATOR } from "#providers/index.ts";
import { MODERATION_REQUEST, moderations } from "#styles/moderation/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SharedDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { serveShared } from "./serve-shared.ts";

const RESULT = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(z.looseObject({ flagged: z.boolean() })),
  })
  .meta({ id: "Moderation" });

export const createModeration: Endpoint<SharedDeps> = {
  ...jsonCall(moderations, MODERATION_REQUEST),
  operationId: "createModeration",
  tag: "Moderation",
  answer: jsonAnswer(RESULT),
  path: "/v1/moderations",
  access: "key",
  family: "text",
  summary: "Classifies whether texts and images are harmful.",
  handle: (exchange, deps) => serveShared(exchange, moderations, deps, USUAL_MODERATOR),
};

import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { WebhookDelivery, DeliveryState } from "#core/webhook-delivery.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { WebhookDeps } from "#http/deps/webhooks.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { seconds } from "../seconds.ts";
import { management } from "../management.ts";
import { pageSize } from "../query-fields.ts";

const common = { access: "user", tag: "Webhooks" } as const;

const STATES = ["pending", "delivered", "dead"] as const satisfies readonly DeliveryState[];

const PAGE = z.object({
  state: stateField(),
  page_size: pageSize(20, 100),
  before: z.string().optional().describe("The id of the last delivery of the previous page."),
});

const NOTICE = z
  .object({
    id: z.string(),
    task_id: z.string(),
    url: z.string(),
    state: z.enum(STATES),
    attempts: z.int(),
    created_at: z.int(),
    next_attempt_at: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: "Notice" });

const SECRET = z.object({ secret: z.string() });

export const listNotices = management({
  operationId: "listNotices",
  ...common,
  scope: "webhooks:read",
  method: "GET",
  path: "/api/notice",
  summary:
    "Webhook deliveries to the addresses of your tasks, latest first. " +
    "`state`: `pending`, `delivered` or `dead`; `before`: the last id of the previous page.",

  query: PAGE,
  data: z.array(NOTICE),

  async handle(
    exchange,
    { notices }: Pick<WebhookDeps, "notices">,
    { query: { page_size: limit, state, before } },
  ) {
    const found = await notices.list({
      userId: requireUser(exchange).id,
      limit,
      ...defined({ state, before }),
    });
    return succeed(exchange.id, "", found.map(showNotice));
  },
});

export const replayNotice = management({
  operationId: "replayNotice",
  ...common,
  scope: "webhooks:write",
  method: "POST",
  path: "/api/notice/:id/replay",
  summary: "Sends a webhook delivery again, in any state.",

  async handle(exchange, { notices, clock }: Pick<WebhookDeps, "notices" | "clock">) {
    const { id: userId } = requireUser(exchange);
    if (await notices.redeliver(userId, exchange.param("id"), clock.now())) {
      return succeed(exchange.id, "The webhook delivery is sent again.");
    }
    throw new GatewayError("not_found", "Webhook delivery not found.");
  },
});

export const getNoticeSecret = management({
  operationId: "getNoticeSecret",
  ...common,
  scope: "webhooks:write",
  method: "GET",
  path: "/api/user/notice-secret",
  isAction: true,
  summary:
    "The secret that signs your webhooks. For a week after a change, the previous one signs them too.",
  data: SECRET,

  async handle(exchange, { noticeSecrets }: Pick<WebhookDeps, "noticeSecrets">) {
    const [secret = ""] = await noticeSecrets.of(requireUser(exchange).id);
    return succeed(exchange.id, "", { secret });
  },
});

export const rotateNoticeSecret = management({
  operationId: "rotateNoticeSecret",
  ...common,
  scope: "webhooks:write",
  method: "POST",
  path: "/api/user/notice-secret",
  summary: "Creates a new secret that signs your webhooks.",
  data: SECRET,

  async handle(exchange, { noticeSecrets }: Pick<WebhookDeps, "noticeSecrets">) {
    const secret = await noticeSecrets.rotate(requireUser(exchange).id);
    return succeed(
      exchange.id,
      "The secret was created. The previous one signs for another week.",
      {
        secret,
      },
    );
  },
});

function stateField() {
  return z
    .string()
    .optional()
    .transform((given, context) => {
      const found = STATES.find((each) => each === given);
      if (given !== undefined && found === undefined) {
        context.addIssue(`must be one of ${STATES.join(", ")}`);
      }
      return found;
    })
    .meta({ enum: STATES, description: "Webhook deliveries in this state." });
}

function showNotice(notice: WebhookDelivery): JsonObject {
  return {
    id: notice.id,
    task_id: notice.taskId,
    url: notice.url,
    state: notice.state,
    attempts: notice.attempts,
    created_at: seconds(notice.createdAt),
    next_attempt_at: notice.state === "pending" ? seconds(notice.dueAt) : null,
    last_error: notice.lastError ?? null,
  };
}

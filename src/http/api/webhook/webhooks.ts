import { GatewayError, invalid } from "#core/error.ts";
import type { WebhookDelivery, DeliveryState } from "#core/webhook-delivery.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { seconds } from "../seconds.ts";
import { wholeNumber } from "../whole-number.ts";

const common = { access: "user", renderError: renderFailure } as const;

const PAGE_SIZE = { usual: 20, most: 100 } as const;
const STATES: readonly DeliveryState[] = ["pending", "delivered", "dead"];

export const listNotices: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/notice",
  summary:
    "What was sent, or is to be sent, to the addresses that your tasks named, latest first. " +
    "`state` chooses `pending`, `delivered` or `dead`; `before` is the last id of the page before.",

  async handle(exchange, { notices }) {
    const { query } = exchange;
    const found = await notices.list({
      userId: requireUser(exchange).id,
      limit: wholeNumber(query, "page_size", PAGE_SIZE.usual, PAGE_SIZE.most),
      ...defined({ state: stateIn(query), before: query.get("before") ?? undefined }),
    });
    return succeed(exchange.id, "", found.map(showNotice));
  },
};

export const replayNotice: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/notice/:id/replay",
  summary: "Sends a notice again, whatever became of it.",

  async handle(exchange, { notices, clock }) {
    const { id: userId } = requireUser(exchange);
    if (await notices.redeliver(userId, exchange.param("id"), clock.now())) {
      return succeed(exchange.id, "The notice is sent again.");
    }
    throw new GatewayError("not_found", "There is no such notice.");
  },
};

export const getNoticeSecret: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/user/notice-secret",
  isAction: true,
  summary: "What signs your notices; for a week after a change, the one before signs them too.",

  async handle(exchange, { noticeSecrets }) {
    const [secret = ""] = await noticeSecrets.of(requireUser(exchange).id);
    return succeed(exchange.id, "", { secret });
  },
};

export const rotateNoticeSecret: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/user/notice-secret",
  summary: "Makes a new secret that signs your notices.",

  async handle(exchange, { noticeSecrets }) {
    const secret = await noticeSecrets.rotate(requireUser(exchange).id);
    return succeed(exchange.id, "The secret was made; the one before signs for another week.", {
      secret,
    });
  },
};

function stateIn(query: URLSearchParams): DeliveryState | undefined {
  const given = query.get("state");
  const found = STATES.find((each) => each === given);
  if (given === null || found !== undefined) return found;
  throw invalid("state", `'state' must be one of ${STATES.join(", ")}.`);
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

import type { Insertable, Selectable } from "kysely";
import type { WebhookDelivery, DeliveryState } from "#core/webhook-delivery.ts";

export interface NoticesTable {
  id: string;
  user_id: number;
  task_id: string;
  url: string;
  body: string;
  state: DeliveryState;
  attempts: number;
  created_at: number;
  due_at: number;
  lease_until: number;
  last_error: string | null;
  destination_id: number | null;
}

export function rowOf(notice: WebhookDelivery): Insertable<NoticesTable> {
  return {
    id: notice.id,
    user_id: notice.userId,
    task_id: notice.taskId,
    url: notice.url,
    body: notice.body,
    state: notice.state,
    attempts: notice.attempts,
    created_at: notice.createdAt,
    due_at: notice.dueAt,
    lease_until: 0,
    last_error: notice.lastError ?? null,
    destination_id: notice.destinationId ?? null,
  };
}

export function toNotice(row: Selectable<NoticesTable>): WebhookDelivery {
  return {
    id: row.id,
    userId: row.user_id,
    taskId: row.task_id,
    url: row.url,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
    ...(row.last_error === null ? {} : { lastError: row.last_error }),
    ...(row.destination_id === null ? {} : { destinationId: row.destination_id }),
  };
}

import type { Clock } from "#lib/clock.ts";
import type { WebhookOutbox } from "#core/webhook-delivery.ts";
import type { Task } from "#core/task.ts";
import type { InboundVideoFormat } from "#core/video.ts";
import { linksOf, type TaskAddress } from "./links.ts";

interface EnqueueDeps {
  readonly notices: WebhookOutbox;
  readonly clock: Clock;
  /** The format of the client that created a task. */
  formatOf(entry: string): InboundVideoFormat | undefined;
  addressOf(task: Task, format: InboundVideoFormat): TaskAddress;
  /** Finished videos are copied, and their links lead to the gateway. */
  readonly keepsMedia: boolean;
}

/** Writes a webhook for a task's state to the outbox; repeated calls for a state have no effect. */
export async function enqueueWebhook(task: Task, deps: EnqueueDeps): Promise<void> {
  const { callbackUrl: url } = task.facts;
  const format = deps.formatOf(task.entry);
  if (url === undefined || format === undefined) return;
  const { writeNotice, writeTask } = format.inbound;
  const links = linksOf(task, deps.addressOf(task, format), deps.keepsMedia);
  const now = deps.clock.now();
  await deps.notices.add({
    id: `${task.id}.${task.status}`,
    userId: task.userId,
    taskId: task.id,
    url,
    body: JSON.stringify((writeNotice ?? writeTask)(task, links)),
    state: "pending",
    attempts: 0,
    createdAt: now,
    dueAt: now,
  });
}

import type { TaskFailure, TaskUpdate } from "#core/video.ts";
import { defined } from "#lib/values.ts";
import { CANCELLED, EXPIRED } from "./task-fields.ts";

const STATUSES = ["queued", "succeeded", "failed", "cancelled", "expired"] as const;
type TaskStatus = (typeof STATUSES)[number];

/** Words that several vendors use for states other than success. */
export const COMMON_WORDS = {
  queued: "queued pending submitted",
  failed: "failed",
  cancelled: "cancelled canceled",
  expired: "expired",
} as const;

/** A vendor's status words, separated by spaces. Any other word means that the task is running. */
export function statusWords(
  words: Readonly<Partial<Record<TaskStatus, string>>>,
): ReadonlyMap<string, TaskStatus> {
  return new Map(
    STATUSES.flatMap(
      (status) => words[status]?.split(" ").map((word) => [word, status] as const) ?? [],
    ),
  );
}

interface ReportedTask {
  /** The update of a finished task. */
  readonly made: () => TaskUpdate;
  readonly failure: () => TaskFailure;
  readonly progress?: number | undefined;
}

/** The update that a status means; undefined means that the task is running. */
export function updateBy(
  status: TaskStatus | undefined,
  { made, failure, progress }: ReportedTask,
): TaskUpdate {
  switch (status) {
    case "queued":
      return { state: "queued", ...defined({ progress }) };
    case "succeeded":
      return made();
    case "failed":
      return { state: "failed", failure: failure() };
    case "cancelled":
      return { state: "failed", failure: CANCELLED };
    case "expired":
      return { state: "failed", failure: EXPIRED };
    case undefined:
      return { state: "running", ...defined({ progress }) };
  }
}

import type { Contents } from "#relay/content/contents.ts";
import type { TaskLinker } from "#relay/content/task-links.ts";
import type { Tasks } from "#relay/tasks/tasks.ts";
import type { IdempotencyDeps } from "../idempotency.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the endpoints of video tasks. */
export interface VideoDeps extends IdempotencyDeps {
  readonly tasks: Tasks;
  /** Files that tasks made. */
  readonly contents: Contents;
  readonly taskLinker: TaskLinker;
  /** Finished videos are copied to the gateway's storage, and their links lead to the gateway. */
  readonly keepsMedia: boolean;
  /**
   * The URL at which clients and vendors reach the gateway, without a trailing slash; undefined if
   * not configured.
   */
  readonly publicUrl: string | undefined;
  readonly limits: HttpLimits;
}

/** Dependencies of an answer that shows a task. */
export type TaskViewDeps = Pick<VideoDeps, "tasks" | "publicUrl" | "keepsMedia" | "taskLinker">;

/** Dependencies of the submission of a task. */
export type SubmissionDeps = IdempotencyDeps & TaskViewDeps & Pick<VideoDeps, "limits">;

/** Dependencies of an answer that sends a file of a task. */
export type TaskFileDeps = Pick<VideoDeps, "contents" | "limits">;

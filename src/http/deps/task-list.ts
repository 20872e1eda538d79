import type { CallLog } from "#core/call.ts";
import type { TaskLinker } from "#relay/content/task-links.ts";
import type { Tasks } from "#relay/tasks/tasks.ts";

/** Dependencies of the lists of video tasks. */
export interface TaskListDeps {
  readonly tasks: Pick<Tasks, "search">;
  readonly calls: Pick<CallLog, "namesOf">;
  readonly taskLinker: TaskLinker;
  readonly publicUrl: string | undefined;
}

import type { InboundVideoFormat } from "#core/video.ts";
import { ID } from "./build.ts";
import { buildError } from "./error.ts";
import { readTask } from "./read-task.ts";
import { writeSubmitted, writeTask } from "./write-task.ts";

/** Video tasks with a list of text and media. */
export const contentTasks: InboundVideoFormat = {
  id: ID,
  hasOpenLinks: true,
  inbound: { read: readTask, writeSubmitted, writeTask, buildError },
};

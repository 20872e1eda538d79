import type { InboundVideoFormat } from "#core/video.ts";
import { ID } from "./build.ts";
import { buildError } from "./error.ts";
import { readTask } from "./read-task.ts";
import { writeSubmitted, writeTask } from "./write-task.ts";

/** Videos by tasks, each a list of words and media. */
export const contentTasks: InboundVideoFormat = {
  id: ID,
  hasOpenLinks: true,
  inbound: { read: readTask, writeSubmitted, writeTask, buildError },
};

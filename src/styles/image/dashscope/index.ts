import type { OutboundImageFormat } from "#core/image.ts";
import { errorParser } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/dashscope.ts";
import { buildGeneration, buildTask } from "./build.ts";
import { parse, pendingIn } from "./parse.ts";

const parseError = errorParser(VOCABULARY);

/** One message as input; the images are in the response message. */
export const dashscopeGeneration: OutboundImageFormat = {
  id: "dashscope-generation",
  outbound: { build: buildGeneration, parse, parseError },
};

/** The older API: creates a task, which is polled until it is done. */
export const dashscopeTasks: OutboundImageFormat = {
  id: "dashscope-tasks",
  outbound: { build: buildTask, pendingIn, parse, parseError },
};

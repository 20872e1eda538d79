import { z } from "zod";
import type { CallNames } from "#core/call.ts";
import type { Task, TaskSearch, TaskStatus } from "#core/task.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { chargedCost } from "#relay/tasks/settle.ts";
import type { TaskListDeps } from "#http/deps/task-list.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { choiceField, idField, pageSize, shortTextField, textField } from "../query-fields.ts";
import { seconds } from "../seconds.ts";
import { showUsd } from "../usd.ts";

const STATES = ["submitting", "unknown", "queued", "running", "succeeded", "failed"] as const;
type State = (typeof STATES)[number];

const STATE_OF: Readonly<Record<TaskStatus, State>> = {
  submitting: "submitting",
  submit_unknown: "unknown",
  queued: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
};

const OWN_FILTER = z.object({
  state: choiceField(
    STATES,
    "Tasks in this state; `unknown`: it is unknown if the vendor accepted it.",
  ),
  model: shortTextField(256, "The model that the client asked for."),
  page_size: pageSize(20, 100),
  before: textField("`next` of the previous page."),
});
const FILTER = OWN_FILTER.extend({ user: idField("Tasks of this user.") });
type Filter = Omit<z.output<typeof FILTER>, "user"> & { readonly user?: number | undefined };

const FIELDS = {
  id: z.string(),
  state: z.enum(STATES),
  model: z.string(),
  entry: z.string().describe("The format of the client."),
  user_id: z.int(),
  user_name: z.string().nullable(),
  token_id: z.int(),
  token_name: z.string().nullable(),
  created_at: z.int(),
  started_at: z.int().nullable(),
  finished_at: z.int().nullable(),
  progress: z.number().nullable().describe("Percent, if the vendor tells it."),
  cost_usd: z.number().nullable().describe("Null until the task is settled."),
  held_usd: z.number().describe("Reserved until the task is settled."),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
};

const OWN_TASK = z
  .object({
    ...FIELDS,
    files: z
      .array(z.string())
      .describe("Links to the files of a finished task, valid for a day without a key."),
  })
  .meta({ id: "OwnTask" });
const TASK = z
  .object({
    ...FIELDS,
    channel: z.string().nullable(),
    upstream_model: z.string().nullable(),
  })
  .meta({ id: "ListedTask" });

const next = z.string().nullable().describe("`before` of the next page; null at the end.");

export const listOwnTasks = management({
  operationId: "listOwnTasks",
  tag: "Videos",
  method: "GET",
  path: "/api/task/self",
  access: "user",
  scope: "logs:read",
  summary: "Your video tasks, latest first, with links to their files.",
  query: OWN_FILTER,
  data: z.object({ items: z.array(OWN_TASK), next }),
  async handle(exchange, deps: TaskListDeps, { query }) {
    const owner = { userId: requireUser(exchange).id, hidesRemoved: true };
    const base = deps.publicUrl ?? new URL(exchange.request.url).origin;
    return await showPage(exchange, deps, { ...searchOf(query), ...owner }, (task, names) => ({
      ...showTask(task, names),
      files: filesOf(task, base, deps),
    }));
  },
});

export const listTasks = management({
  operationId: "listTasks",
  tag: "Videos",
  method: "GET",
  path: "/api/task",
  access: "auditor",
  scope: "logs:read",
  summary: "Video tasks of all users, latest first, also those that their users removed.",
  query: FILTER,
  data: z.object({ items: z.array(TASK), next }),
  handle: async (exchange, deps: Pick<TaskListDeps, "tasks" | "calls">, { query }) =>
    await showPage(exchange, deps, searchOf(query), (task, names) => ({
      ...showTask(task, names),
      channel: task.place?.channel ?? null,
      upstream_model: task.place?.upstreamModel ?? null,
    })),
});

function searchOf({ state, model, user, before, page_size: limit }: Filter): TaskSearch {
  const statuses = (Object.keys(STATE_OF) as TaskStatus[]).filter(
    (status) => STATE_OF[status] === state,
  );
  return {
    hidesRemoved: false,
    limit,
    ...(state === undefined ? {} : { statuses }),
    ...defined({ model, userId: user, before }),
  };
}

async function showPage(
  exchange: Exchange,
  { tasks, calls }: Pick<TaskListDeps, "tasks" | "calls">,
  search: TaskSearch,
  show: (task: Task, names: CallNames) => JsonObject,
): Promise<Response> {
  const { limit } = search;
  // One more than the page tells if another page follows.
  const found = await tasks.search({ ...search, limit: limit + 1 });
  const page = found.slice(0, limit);
  const names = await calls.namesOf(page);
  return succeed(exchange.id, "", {
    items: page.map((task) => show(task, names)),
    next: found.length > limit ? (page.at(-1)?.id ?? null) : null,
  });
}

function showTask(task: Task, names: CallNames): JsonObject {
  const { startedAt, finishedAt, failure, isSettled } = task;
  const cost = chargedCost(task);
  return {
    id: task.id,
    state: STATE_OF[task.status],
    model: task.model,
    entry: task.entry,
    user_id: task.userId,
    user_name: names.users.get(task.userId) ?? null,
    token_id: task.keyId,
    token_name: names.keys.get(task.keyId) ?? null,
    created_at: seconds(task.createdAt),
    started_at: startedAt === undefined ? null : seconds(startedAt),
    finished_at: finishedAt === undefined ? null : seconds(finishedAt),
    progress: task.progress ?? null,
    cost_usd: cost === undefined ? null : showUsd(cost),
    held_usd: isSettled ? 0 : showUsd(task.held),
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
  };
}

/** Signed links: a browser opens them without a key. */
function filesOf(
  task: Task,
  base: string,
  { taskLinker }: Pick<TaskListDeps, "taskLinker">,
): readonly string[] {
  if (task.status !== "succeeded") return [];
  const { linkTo } = taskLinker.addressOf(task, base, { hasOpenLinks: true });
  return task.videos.map((_, index) => linkTo(index));
}

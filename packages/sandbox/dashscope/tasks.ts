import { readMarks, stateOf, taskTable, type Task } from "../engine/tasks.ts";
import { reportedUsage } from "../faults/usage-faults.ts";
import type { JsonObject } from "../json.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { failureAs, LATE_CODES, markedRefusal, NativeError } from "./native.ts";
import { listTasks } from "./task-list.ts";
import { writtenTime } from "./times.ts";

/** A result that is made later, and polled. */
export interface DashscopeWish {
  readonly model: string;
  /** "aigc:image2video:video-synthesis" */
  readonly service: string;
  readonly prompt: string;
  /** It is one of what could be several, and those are counted. */
  readonly isCounted: boolean;
  /** What there is in the end, the same each time; the refusal that it throws makes the task fail. */
  outcome(task: Pick<Task<unknown>, "id" | "origin" | "endsAt">): Outcome;
}

interface Outcome {
  readonly output: JsonObject;
  readonly usage: JsonObject;
}

/** The account that lists its tasks. */
interface PlacedWish extends DashscopeWish {
  readonly requestId: string;
}

export type DashscopeTask = Task<PlacedWish>;

/** The tasks of all models. Throws `NativeError` if the vendor refuses the request. */
interface DashscopeTasks {
  submit(request: VendorRequest, caller: Caller, read: () => DashscopeWish): JsonObject;
  get(request: VendorRequest, key: string, id: string): JsonObject;
  cancel(key: string, id: string): JsonObject;
  list(key: string, query: URLSearchParams): JsonObject;
}

export interface Caller {
  readonly key: string;
  readonly requestId: string;
}

export function dashscopeTasks(options: VendorOptions): DashscopeTasks {
  const { now, tasks: settings } = options;
  const table = taskTable<PlacedWish>(options);
  const isKept = ({ createdAt }: DashscopeTask) => now() < createdAt + LIFE_MS;

  return {
    submit(request, { key, requestId }, read) {
      if (!isAsync(request)) throw unsupported("synchronous");
      const requested = read();
      const refusal = markedRefusal(readMarks(requested.prompt));
      if (refusal !== undefined) throw refusal;
      if (table.countOpen(key) >= (settings.parallel ?? Infinity))
        throw failureAs("Throttling.RateQuota");
      const task = table.open({
        id: crypto.randomUUID(),
        owner: key,
        requested: { ...requested, requestId },
        origin: originOf(request),
        prompt: requested.prompt,
        failures: LATE_CODES,
      });
      if (task.marks.has("timeout")) throw failureAs("RequestTimeOut");
      return { output: { task_id: task.id, task_status: "PENDING" } };
    },

    get({ faults }, key, id) {
      const task = table.find(id, key);
      if (task === undefined || !isKept(task)) return unknown(id);
      const { output, usage } = answerFor(task, now());
      const reported = usage === undefined ? undefined : reportedUsage(usage, faults);
      return { output, ...(reported === undefined ? {} : { usage: reported }) };
    },

    cancel(key, id) {
      const task = table.find(id, key);
      if (task === undefined || stateOf(task, now()).phase !== "queued")
        throw failureAs("UnsupportedOperation");
      table.cancel(task);
      return {};
    },

    list: (key, query) =>
      listTasks(table.list(key).filter(isKept), query, now(), (task) => statusOf(task, now())),
  };
}

const LIFE_MS = 24 * 3_600_000;

export function isAsync({ headers }: VendorRequest): boolean {
  return headers["x-dashscope-async"] === "enable";
}

export function unsupported(kind: string): NativeError {
  const message = `current user api does not support ${kind} calls`;
  return new NativeError(403, "AccessDenied", message);
}

function unknown(id: string): JsonObject {
  return { output: { task_id: id, task_status: "UNKNOWN" } };
}

interface TaskAnswer {
  readonly output: JsonObject;
  readonly usage?: JsonObject;
}

function answerFor(task: DashscopeTask, at: number): TaskAnswer {
  const { phase, since } = stateOf(task, at);
  const { id, requested } = task;
  const metrics = (succeeded: number, failed: number): JsonObject =>
    requested.isCounted ? { task_metrics: { TOTAL: 1, SUCCEEDED: succeeded, FAILED: failed } } : {};
  const said = (task_status: string, ...more: JsonObject[]): TaskAnswer => ({
    output: Object.assign({ task_id: id, task_status }, ...more),
  });
  const submitted = { submit_time: writtenTime(task.createdAt) };
  const scheduled = { ...submitted, scheduled_time: writtenTime(task.runsAt) };
  const ended = { ...scheduled, end_time: writtenTime(since) };

  if (phase === "queued") return said("PENDING", submitted, metrics(0, 0));
  if (phase === "running") return said("RUNNING", scheduled, metrics(0, 0));
  if (phase === "expired") return said("UNKNOWN");
  if (phase === "cancelled") return said("CANCELED", submitted, { end_time: writtenTime(since) });
  const end = endOf(task);
  if (end instanceof NativeError) {
    // Some failures come without a word.
    const { code, message } = end;
    const reason = task.marks.has("silentfail") ? {} : { code, message };
    return said("FAILED", ended, reason, metrics(0, 1));
  }
  const { output, usage } = end;
  return { ...said("SUCCEEDED", ended, output, metrics(1, 0)), usage };
}

/** In the words of a list, too. */
function statusOf(task: DashscopeTask, at: number): string {
  const { task_status: status } = answerFor(task, at).output;
  return typeof status === "string" ? status : "UNKNOWN";
}

function endOf(task: DashscopeTask): Outcome | NativeError {
  const { marks, requested, end } = task;
  if (end === "failed") {
    const code = LATE_CODES.find((each) => marks.has(each)) ?? "InternalError.Algo";
    return failureAs(marks.has("moderate") ? "DataInspectionFailed" : code);
  }
  try {
    return requested.outcome(task);
  } catch (cause) {
    if (cause instanceof NativeError) return cause;
    throw cause;
  }
}

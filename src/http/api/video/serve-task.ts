import { GatewayError, invalid } from "#core/error.ts";
import { clampCount, fitUnits, NO_USAGE } from "#core/usage.ts";
import type { Address } from "#core/style.ts";
import { externalIdTaken, type Task } from "#core/task.ts";
import {
  expectedUsage,
  type InboundVideoFormat,
  type TaskLinks,
  type VideoRequest,
} from "#core/video.ts";
import type { Form } from "#lib/form.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { linksOf } from "#relay/tasks/links.ts";
import { factsOf, type AskedVideo } from "#relay/tasks/submit.ts";
import type { SubmissionDeps, TaskViewDeps, VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import { lossyHeader } from "#http/lossy-header.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { rateHeaders } from "#http/rate-headers.ts";
import type { Reply } from "#http/reply.ts";
import { requireKey } from "#http/require-key.ts";
import { budgetHeader } from "#http/budget-header.ts";
import { unpricedHeader } from "#http/unpriced-header.ts";
import type { Exchange, OpenAccess, RouteFacts } from "#http/routes.ts";

/** Long enough that ids cannot be guessed. A key may be required in addition. */
const ID_CHARS = 32;

/** Creates a video task in any format; responds as soon as a vendor accepted it. */
export async function serveSubmit(
  exchange: Exchange,
  format: InboundVideoFormat,
  deps: SubmissionDeps,
  address: Address = {},
): Promise<Response> {
  return await submitVideo(
    exchange,
    format,
    await readVideo(exchange, format, deps, address),
    deps,
  );
}

interface FormatRoute extends Pick<RouteFacts, "family" | "tag" | "renderError"> {
  readonly access: OpenAccess;
}

/** The common part of all routes of one format. */
export function inFormat({ inbound }: InboundVideoFormat): FormatRoute {
  return {
    access: "key",
    family: "videos",
    tag: "Videos",
    renderError: (error, _request, id) => withId(inbound, inbound.buildError(error), id),
  };
}

function withId(
  { withRequestId }: InboundVideoFormat["inbound"],
  answer: JsonObject,
  requestId: string,
): JsonObject {
  return withRequestId === undefined ? answer : withRequestId(answer, requestId);
}

/** `home`: the channel that must run the task, because its source is there. */
export async function submitVideo(
  exchange: Exchange,
  format: InboundVideoFormat,
  { question, sent, names }: ReadVideoRequest,
  deps: SubmissionDeps,
  home?: AskedVideo["home"],
): Promise<Response> {
  const { id, inbound } = format;
  if (question.model === "") throw invalid("model", "'model' must name a model.");
  const taskId = `task_${randomBase62(ID_CHARS)}`;
  const answer = async (): Promise<Reply> => {
    await refuseTaken(exchange, question, deps);
    using _pause = exchange.suspendIdleTimeout();
    const asked = {
      ...askedBy(exchange, taskId, entered(question, format), id, deps),
      ...(home === undefined ? {} : { home }),
      ...(question.externalId === undefined ? {} : { ownsExternalId: true }),
    };
    const task = await deps.tasks.submit(asked).catch((cause: unknown) => {
      throw inItsWords(GatewayError.from(cause), names ?? inbound.names);
    });
    return submitted(task);
  };
  const submitted = (task: Task): Reply => ({
    kind: "whole",
    headers: { "content-type": "application/json", ...lossyHeader(task.lost) },
    body: JSON.stringify(withId(inbound, inbound.writeSubmitted(task), exchange.id)),
  });
  // A task survives a crash of its gateway, so a client can fetch the response that it missed.
  const recall = async (callId: string): Promise<Reply | undefined> => {
    const task = await deps.tasks.see(requireKey(exchange).userId, callId);
    return task && submitted(task);
  };
  return await withIdempotency(exchange, sent, deps, answer, taskId, recall);
}

/** The request with the facts that depend on the client's format. */
function entered(question: VideoRequest, { id, hasContents }: InboundVideoFormat): VideoRequest {
  const words = hasContents === true ? { wordsIn: question.wordsIn ?? "prompt" } : {};
  return { ...question, ...words, entry: id };
}

/** A refusal names the field as the client wrote it. */
function inItsWords(
  error: GatewayError,
  names: Readonly<Record<string, string>> = {},
): GatewayError {
  const { code, message, param = "", cause } = error;
  const name = Object.hasOwn(names, param) ? names[param] : undefined;
  if (name === undefined) return error;
  const said = message.replaceAll(`'${param}'`, () => `'${name}'`);
  return new GatewayError(code, said, { param: name, cause });
}

/** A client's own task id must identify one task only. */
async function refuseTaken(
  exchange: Exchange,
  { externalId }: VideoRequest,
  { tasks }: Pick<VideoDeps, "tasks">,
): Promise<void> {
  if (externalId === undefined) return;
  const taken = await tasks.seeExternal(requireKey(exchange).userId, externalId);
  if (taken === undefined) return;
  throw externalIdTaken();
}

/** A request for a video, as it was read and as it came. */
interface ReadVideoRequest {
  readonly question: VideoRequest;
  readonly sent: string | Form;
  /** The client's names of the fields. */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

export async function readVideo(
  exchange: Exchange,
  { inbound }: InboundVideoFormat,
  { limits: { mediaBodyBytes } }: Pick<VideoDeps, "limits">,
  address: Address,
): Promise<ReadVideoRequest> {
  const form = inbound.readForm === undefined ? undefined : await exchange.readForm(mediaBodyBytes);
  if (form !== undefined && inbound.readForm !== undefined) {
    const names = { ...inbound.names, ...inbound.namesInForm?.(form) };
    return { question: inbound.readForm(form, address), sent: form, names };
  }
  const { json: body, text } = await exchange.readJson(mediaBodyBytes);
  const names = { ...inbound.names, ...inbound.namesIn?.(body) };
  return { question: inbound.read(body, address), sent: text, names };
}

/** The status of a task in any format. */
export async function serveTask(
  exchange: Exchange,
  format: InboundVideoFormat,
  id: string,
  deps: TaskViewDeps,
): Promise<Response> {
  return answerTask(exchange, format, await requireTask(exchange, id, deps), deps);
}

/** The response to a query of a task that was found. */
export function answerTask(
  exchange: Exchange,
  format: InboundVideoFormat,
  task: Task,
  deps: TaskViewDeps,
): Response {
  const answer = writeTask(exchange, format, task, deps);
  return json(withId(format.inbound, answer, exchange.id), exchange.id);
}

/** A task of another user is treated as unknown. */
export async function requireTask(
  exchange: Exchange,
  id: string,
  { tasks }: Pick<VideoDeps, "tasks">,
): Promise<Task> {
  const task = await tasks.see(requireKey(exchange).userId, id);
  if (task === undefined) throw new GatewayError("not_found", "Task not found.");
  return task;
}

export function writeTask(
  exchange: Exchange,
  format: InboundVideoFormat,
  task: Task,
  deps: TaskViewDeps,
): JsonObject {
  return format.inbound.writeTask(task, linkedVideos(exchange, format, task, deps));
}

/** The URLs of a task's results for this client. */
export function linkedVideos(
  { request }: Exchange,
  format: InboundVideoFormat,
  task: Task,
  { publicUrl, keepsMedia, taskLinker }: TaskViewDeps,
): TaskLinks {
  const base = publicUrl ?? new URL(request.url).origin;
  return linksOf(task, taskLinker.addressOf(task, base, format), keepsMedia);
}

/**
 * The task lives longer than the client's connection, so its request must not be aborted with it.
 */
function askedBy(
  exchange: Exchange,
  taskId: string,
  question: VideoRequest,
  format: string,
  { clock }: Pick<VideoDeps, "clock">,
): AskedVideo {
  const { inputTokens, outputTokens, durationMs, grade } = expectedUsage(
    factsOf(question),
    question,
  );
  return {
    id: taskId,
    isLasting: true,
    key: requireKey(exchange),
    style: { id: format },
    endpoint: "videos",
    question,
    facts: { model: question.model, stream: false, maxOutputTokens: outputTokens, choices: 1 },
    inputTokens: clampCount(inputTokens),
    units: fitUnits({
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(grade === undefined ? {} : { grade }),
    }),
    isStrict: exchange.request.headers.get("sluice-strict") === "true",
    signal: new AbortController().signal,
    traceparent: exchange.request.headers.get("traceparent") ?? undefined,
    at: clock.now(),
    startedAt: clock.monotonic(),
    onUnpriced: (what) => exchange.announce(unpricedHeader(what)),
    onBudgetWarning: (budgets) => exchange.announce(budgetHeader(budgets)),
    onStanding: (status) => exchange.announce(rateHeaders(status, undefined, clock.now())),
    count: async () => NO_USAGE,
  };
}

import type { Channel, Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Task, TaskPlace } from "#core/task.ts";
import type { TaskUpdate, TaskRef } from "#core/video.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";
import type { TaskPoll, Provider, VideoEndpoint } from "#providers/provider.ts";
import { asError } from "../failover/attempt.ts";
import { addressOf, upstreamTerms } from "../failover/upstream-terms.ts";
import { parseAnswer, parseLargeAnswer } from "../delivery/whole.ts";

export interface PollDeps {
  readonly egress: Egress;
  /** By name, including channels that accept no new calls. */
  findChannel(name: string): Channel | undefined;
}

/** The vendor of a task, and the account that submitted it. */
export interface UpstreamTaskContext {
  readonly channel: Channel;
  readonly provider: Provider;
  readonly endpoint: VideoEndpoint;
  readonly credential: Credential | undefined;
  readonly ref: TaskRef;
}

/** Throws `upstream_failed` if the channel, or its credential or endpoint, no longer exists. */
export function upstreamTaskContextOf(task: Task, { findChannel }: PollDeps): UpstreamTaskContext {
  const { place } = task;
  const channel = place && findChannel(place.channel);
  const provider = channel && findProvider(channel.provider);
  const endpoint = place && provider && endpointOf(provider, place);
  if (!place || !channel || !provider || !endpoint) throw gone();
  const credential = channel.credentials.find(({ label }) => label === place.credential);
  if (credential === undefined && place.credential !== "") throw gone();
  const ref = {
    upstreamId: place.upstreamId ?? "",
    upstreamModel: place.upstreamModel,
    scenario: task.facts.scenario,
    externalId: task.id,
    ...defined({ audio: task.facts.audio }),
  };
  return { channel, provider, endpoint, credential, ref };
}

function endpointOf(provider: Provider, place: TaskPlace): VideoEndpoint | undefined {
  return provider.videos?.find(
    (each) => each.style.id === place.format && (each.serves?.(place.upstreamModel) ?? true),
  );
}

function gone(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The channel of this task, or its credential, no longer exists.",
  );
}

/** Polls the vendor for a task's state. */
export async function pollTask(task: Task, deps: PollDeps): Promise<TaskUpdate> {
  const context = upstreamTaskContextOf(task, deps);
  const { endpoint, ref } = context;
  using reply = await requestUpstream(context, endpoint.poll, deps);
  if (reply.status === 404 && endpoint.poll.readsFailures !== true) return { state: "missing" };
  if (reply.status !== 200 && endpoint.poll.readsFailures !== true) {
    throw await asError(reply, context);
  }
  const body = await wholeAnswer(context, parseAnswer(await reply.readAll()), deps);
  return endpoint.style.outbound.parseTask(body, ref, reply.status);
}

/** Some vendors return the result only by a second request. */
async function wholeAnswer(
  context: UpstreamTaskContext,
  body: JsonObject,
  deps: PollDeps,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const rest = context.endpoint.poll.restOf?.(body);
  if (rest === undefined) return body;
  using reply = await requestUpstream(
    context,
    { method: "GET", path: () => rest, ...defined({ signal }) },
    deps,
  );
  if (reply.status !== 200) throw await asError(reply, context);
  return { ...(await parseLargeAnswer(await reply.readAll())), ...body };
}

/**
 * The vendor's polling response for a finished task; undefined if the vendor no longer knows it.
 */
export async function fetchPollBody(
  context: UpstreamTaskContext,
  deps: PollDeps,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  using reply = await requestUpstream(context, { ...context.endpoint.poll, signal }, deps);
  if (reply.status === 404) return undefined;
  if (reply.status !== 200) throw await asError(reply, context);
  const body = await parseLargeAnswer(await reply.readAll());
  return await wholeAnswer(context, body, deps, signal);
}

/**
 * The vendor's id of a task with an unknown outcome. Undefined if the vendor did not create it,
 * `null` if the vendor cannot search for it.
 */
export async function findSubmitted(
  task: Task,
  deps: PollDeps,
): Promise<string | undefined | null> {
  const context = upstreamTaskContextOf(task, deps);
  const { endpoint, ref } = context;
  const { parseFound } = endpoint.style.outbound;
  if (endpoint.find === undefined || parseFound === undefined) return null;
  using reply = await requestUpstream(context, endpoint.find, deps);
  if (reply.status === 404) return undefined;
  if (reply.status !== 200) throw await asError(reply, context);
  return parseFound(parseAnswer(await reply.readAll()), ref.externalId);
}

/** Cancels a task that has not started. Throws if the vendor cannot cancel, or refuses. */
export async function cancel(task: Task, deps: PollDeps): Promise<void> {
  const context = upstreamTaskContextOf(task, deps);
  const { endpoint } = context;
  if (endpoint.cancel === undefined) {
    throw new GatewayError("invalid_request", "The upstream of this task cannot cancel tasks.");
  }
  using reply = await requestUpstream(context, endpoint.cancel, deps);
  if (reply.status < 200 || reply.status > 299) throw await asError(reply, context);
  await reply.readAll();
}

/** Timeout of a poll. */
const ANSWER_MS = 20_000;

interface UpstreamTaskRequest extends Pick<TaskPoll, "path" | "body"> {
  readonly method: TaskPoll["method"] | "DELETE";
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal;
}

async function requestUpstream(
  context: UpstreamTaskContext,
  { method, path, body, signal }: UpstreamTaskRequest,
  deps: Pick<PollDeps, "egress">,
): Promise<UpstreamReply> {
  const { ref } = context;
  const request = {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body(ref)) }),
    isStream: false,
    headMs: ANSWER_MS,
    ...defined({ signal }),
  };
  return await requestAt(new URL(addressOf(context) + path(ref)), context, request, deps);
}

/** Sent with the credential, so only to the channel's own address. */
export async function requestAt(
  url: URL,
  { channel, provider, endpoint, credential }: UpstreamTaskContext,
  {
    headers,
    ...request
  }: Pick<
    UpstreamRequest,
    "method" | "body" | "headers" | "isStream" | "isFile" | "headMs" | "signal"
  >,
  { egress }: Pick<PollDeps, "egress">,
): Promise<UpstreamReply> {
  return await egress.send({
    ...request,
    url,
    ...upstreamTerms({ channel, provider }, credential),
    headers: { ...provider.headers, ...endpoint.headers, ...headers },
  });
}

import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { LinkFollower } from "#core/media.ts";
import { FREE, nanoUsd } from "#core/money.ts";
import type { Task, TaskStore } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { TaskFacts, VideoRequest } from "#core/video.ts";
import { expectedUsage } from "#core/video.ts";
import type { Clock } from "#lib/clock.ts";
import { Form } from "#lib/form.ts";
import type { Body } from "#lib/pieces.ts";
import { parseTraceparent, writeTraceparent } from "#lib/trace-context.ts";
import { defined } from "#lib/values.ts";
import type { VideoEndpoint } from "#providers/provider.ts";
import { admit } from "../admit.ts";
import { callWithFailover, type Outgoing, type UpstreamTransport } from "../failover/attempt.ts";
import type { Served } from "../call.ts";
import type { CallDeps } from "../call-deps.ts";
import { endable } from "../metering/open-calls.ts";
import { recordOf } from "../metering/record.ts";
import { isUnpriced, type Candidate, type Plan } from "../routing/route.ts";
import { noteUnpriced, type Settlement } from "../metering/settlement.ts";
import { parseAnswer } from "../delivery/whole.ts";
import { otherPlace, resolveAssets, type Home, type ReferenceDeps } from "../assets/references.ts";
import { nextPollAt } from "./task-update.ts";
import { prepareMedia, type PrepareTools } from "./prepare-media.ts";
import type { LeaseTerms, TaskScheduler } from "./task-scheduler.ts";

export interface SubmitDeps extends CallDeps {
  readonly clock: Clock;
  readonly tasks: TaskStore;
  readonly files: Omit<PrepareTools, "signal">;
  readonly links: Pick<LinkFollower, "check">;
  readonly lease: LeaseTerms;
  /** The webhook URL for a vendor; undefined if vendors cannot reach this gateway. */
  callbackUrlFor(channel: string, taskId: string): string | undefined;
  readonly references: ReferenceDeps;
  /** Gets the call that created a task; its charge and end follow with the task. */
  readonly onSubmitted?: (record: CallRecord) => void;
  /** A task that could not be written yet: the scheduler writes it later. */
  onError(cause: unknown): void;
}

/** A video request. Its client may disconnect; the task continues. */
export interface AskedVideo extends Served {
  readonly isLasting: true;
  readonly question: VideoRequest;
  /** The client prefers a refusal to a lost field. */
  readonly isStrict: boolean;
  /** The client's own task id must be unique for this user. */
  readonly ownsExternalId?: boolean;
  /** The only account that can run it, because its inputs are stored there. */
  readonly home?: Home;
}

interface VideoRoute extends Candidate {
  readonly endpoint: Addressed & VideoEndpoint;
  readonly facts: TaskFacts;
}

interface Addressed {
  readonly path: () => string;
}

/**
 * Submits a task to a vendor. The task and its current channel are stored before the vendor is
 * called. If the vendor may have accepted it, no other channel is tried. The scheduler polls it.
 */
export async function submitTask(
  asked: AskedVideo,
  scheduler: Pick<TaskScheduler, "take">,
  deps: SubmitDeps,
): Promise<Task> {
  const { callbackUrl } = asked.question;
  if (callbackUrl !== undefined) deps.links.check(callbackUrl, "callback_url");
  const bound = await resolveAssets(asked.question, asked.key.userId, asked.home, deps.references);
  const call = endable({ ...asked, ...bound });
  const isBound = bound.home !== asked.home;
  const planned = (): Plan<VideoRoute> =>
    isBound ? planThere(call, asked.home, deps) : planVideo(call, deps);
  const { plan, settlement } = await admit(call, { plan: planned }, deps.admission);
  const submission = new Submission(call, plan, scheduler, deps);
  try {
    await settlement.durable;
    const begun = await callWithFailover(
      call,
      plan,
      settlement,
      deps.attempts,
      (route, transport) => submission.try(route, transport),
    );
    begun.release();
    const task = await submission.taken(begun.answer);
    deps.onSubmitted?.(recordOfCreation(call, task, settlement, deps, begun.route));
    if (isUnpriced(begun.route)) noteUnpriced(asked, begun.route, deps.admission);
    return task;
  } catch (cause) {
    const task = await submission.refused(GatewayError.from(cause), settlement);
    deps.onSubmitted?.(recordOfCreation(call, task, settlement, deps));
    return task;
  } finally {
    settlement.transfer();
  }
}

/** `route`: undefined if it is unknown whether its vendor took the task on. */
function recordOfCreation(
  call: AskedVideo,
  { lost }: Task,
  { attempts }: Settlement,
  { clock }: Pick<SubmitDeps, "clock">,
  route?: VideoRoute,
): CallRecord {
  return recordOf(call, clock, {
    outcome: "completed",
    fault: null,
    usage: NO_USAGE,
    cost: nanoUsd(0),
    route,
    firstByteAt: clock.monotonic(),
    upstreamMs: attempts.reduce((sum, { durationMs }) => sum + durationMs, 0),
    attempts,
    lost,
  });
}

/**
 * A plan limited to the account of the assets. A model on other accounts gets a specific error, not
 * "unknown model".
 */
function planThere(
  call: AskedVideo,
  asked: Home | undefined,
  deps: Pick<SubmitDeps, "router">,
): Plan<VideoRoute> {
  try {
    return planVideo(call, deps);
  } catch (cause) {
    if (GatewayError.from(cause).code !== "model_not_found") throw cause;
    const { home: _, ...anywhere } = call;
    planVideo({ ...anywhere, ...(asked && { home: asked }) }, deps);
    throw otherPlace();
  }
}

/** Throws the models' refusal if all of them refuse. */
function planVideo(
  { question, home, ...call }: AskedVideo,
  { router }: Pick<SubmitDeps, "router">,
): Plan<VideoRoute> {
  let refusal: GatewayError | undefined;
  const toRoute = (candidate: Candidate): VideoRoute | undefined => {
    const { provider, channel, upstreamModel: model } = candidate;
    if (home !== undefined && home.channel !== channel.name) return undefined;
    const endpoint = provider.videos?.find(
      (each) => (each.serves?.(model) ?? true) && (each.answers?.(question) ?? true),
    );
    if (endpoint === undefined) return undefined;
    try {
      const facts = factsOn(endpoint, { ...question, model });
      const path = (): string => endpoint.path(model, question, channel.options ?? {});
      return {
        ...candidate,
        ...(home === undefined || home.account === "" ? {} : { account: home.account }),
        endpoint: { ...endpoint, path },
        facts,
        expected: expectedUsage(
          { ...facts, ...longestOn(endpoint, { ...question, model }) },
          question,
        ),
      };
    } catch (cause) {
      refusal ??= GatewayError.from(cause);
      return undefined;
    }
  };
  try {
    return router.planFor(call, toRoute, "does not make videos, or not in this way");
  } catch (cause) {
    throw GatewayError.from(cause).code === "model_not_found" ? (refusal ?? cause) : cause;
  }
}

/** The known facts of the result on this route. */
function factsOn({ style, dialect }: VideoEndpoint, question: VideoRequest): TaskFacts {
  return { ...factsOf(question), ...style.outbound.expect?.(question, dialect) };
}

/** For an unknown length, the longest is reserved. */
function longestOn(
  { style, dialect }: VideoEndpoint,
  question: VideoRequest,
): Pick<TaskFacts, "seconds"> {
  return defined({ seconds: style.outbound.longest?.(question, dialect) });
}

const MAX_TRIES = 5;

/** Stores the progress of one submission. */
class Submission {
  readonly #call: AskedVideo;
  readonly #plan: Plan<VideoRoute>;
  readonly #scheduler: Pick<TaskScheduler, "take">;
  readonly #deps: SubmitDeps;
  #task: Task | undefined;
  /** A vendor received the request, and did not refuse it. */
  #isAmbiguous = false;

  constructor(
    call: AskedVideo,
    plan: Plan<VideoRoute>,
    scheduler: Pick<TaskScheduler, "take">,
    deps: SubmitDeps,
  ) {
    this.#call = call;
    this.#plan = plan;
    this.#scheduler = scheduler;
    this.#deps = deps;
  }

  /** Returns the vendor's task id. */
  async try(route: VideoRoute, transport: UpstreamTransport): Promise<string> {
    const { question, isStrict, id, signal } = this.#call;
    const { endpoint, upstreamModel: model, channel, traits } = route;
    const { style, dialect } = endpoint;
    const report = new LossReport();
    const { media, maxPixels } = this.#deps.files;
    const tools = { media, maxPixels, signal };
    const prepared = await prepareMedia({ ...question, model }, endpoint.media, tools);
    const callbackUrl = this.#deps.callbackUrlFor(channel.name, id);
    const body = style.outbound.build(prepared, {
      report,
      model: traits,
      externalId: id,
      ...defined({ dialect, callbackUrl }),
    });
    for (const name of question.changed ?? []) report.lose(name);
    if (isStrict) report.refuseIfAny();
    await this.#isAskedOf(route, transport.credential, report.fields);
    try {
      using reply = await transport.post(route, outgoing(body, endpoint));
      return style.outbound.parseSubmitted(parseAnswer(await reply.readAll()));
    } catch (cause) {
      const error = GatewayError.from(cause);
      this.#isAmbiguous = mayHaveBegun(error);
      throw this.#isAmbiguous ? new Unknown(error) : error;
    }
  }

  /** The vendor accepted the task. */
  async taken(upstreamId: string): Promise<Task> {
    const { tasks, clock, onError } = this.#deps;
    let task: Task | undefined = this.#known();
    // Another gateway may have taken over this task after an expired lease, and may be searching
    // for it.
    for (let tries = 0; tries < MAX_TRIES && task !== undefined; tries++) {
      const known: Task = task;
      const { place } = known;
      const change = {
        status: "queued" as const,
        dueAt: nextPollAt(known, clock.now()),
        ...(place && { place: { ...place, upstreamId } }),
      };
      try {
        const queued = await tasks.change(known, change);
        if (queued !== undefined) return this.#goOnWith(queued);
        task = await tasks.findAny(known.id);
      } catch (cause) {
        if (cause instanceof GatewayError) throw cause;
        // The vendor runs the task in any case: the scheduler has it, and stores it with the next
        // update.
        onError(cause);
        return this.#goOnWith({ ...known, ...change });
      }
    }
    throw new GatewayError("internal", "The task was cancelled while the upstream accepted it.");
  }

  /** All channels refused it, or the outcome is unknown. */
  async refused(error: GatewayError, settlement: Settlement): Promise<Task> {
    const { tasks, clock } = this.#deps;
    const task = this.#task;
    if (this.#isAmbiguous && task !== undefined) {
      const change = { status: "submit_unknown" as const, dueAt: clock.now() };
      const unknown = await this.#written(task, tasks.change(task, change));
      return this.#goOnWith(unknown ?? task);
    }
    await settlement.fail(error);
    if (task !== undefined) await this.#written(task, this.#end(task, error));
    throw error;
  }

  /** Ends a task whose id no client has. */
  async #end(task: Task, { code, message }: GatewayError): Promise<void> {
    const { tasks, clock } = this.#deps;
    await tasks.change(task, {
      status: "failed",
      failure: { code, message },
      finishedAt: clock.now(),
      isSettled: true,
    });
    await tasks.remove(task.userId, task.id);
  }

  /**
   * A failed write is left to the scheduler: otherwise this gateway would hold the task without
   * polling it.
   */
  async #written<T>(task: Task, writing: Promise<T>): Promise<T | undefined> {
    try {
      return await writing;
    } catch (cause) {
      this.#deps.onError(cause);
      this.#goOnWith(task);
      return undefined;
    }
  }

  async #isAskedOf(
    { channel, provider, upstreamModel, endpoint, price = FREE, facts: asked }: VideoRoute,
    credential: string,
    lost: readonly string[],
  ): Promise<void> {
    const { tasks, clock, lease } = this.#deps;
    const place = {
      channel: channel.name,
      provider: provider.id,
      upstreamModel,
      format: endpoint.style.id,
      credential,
    };
    const now = clock.now();
    const deadlineAt = now + endpoint.deadlineMs;
    const { id, key, style, facts, question, at, ownsExternalId, traceparent } = this.#call;
    const here = {
      status: "submitting" as const,
      place,
      deadlineAt,
      facts: { ...asked, ...defined({ traceparent: soundTraceparent(traceparent) }) },
      lost,
      usage: expectedUsage(asked, question),
      // Set even if undefined, to replace the price of an earlier channel.
      price,
    };
    if (this.#task !== undefined) {
      this.#task = await tasks.change(this.#task, here, lease.owner);
      if (this.#task === undefined) throw new GatewayError("internal", "The task was lost.");
      return;
    }
    const task: Task = {
      id,
      userId: key.userId,
      keyId: key.id,
      entry: style.id,
      model: facts.model,
      ...here,
      videos: [],
      held: this.#plan.estimate,
      createdAt: at,
      dueAt: now,
      failures: 0,
      misses: 0,
      isSettled: false,
      version: 1,
    };
    await tasks.create(task, lease.owner, lease.leaseMs, ownsExternalId);
    this.#task = task;
  }

  #known(): Task {
    if (this.#task === undefined) throw new GatewayError("internal", "The task was lost.");
    return this.#task;
  }

  #goOnWith(task: Task): Task {
    this.#scheduler.take(task);
    return task;
  }
}

/** Ends the attempts: another channel might create the video twice. */
class Unknown extends GatewayError {
  constructor(cause: GatewayError) {
    super("internal", "It is not known whether the upstream took the task on.", { cause });
  }
}

/** Undefined for a malformed header, which may be any text. */
function soundTraceparent(header: string | undefined): string | undefined {
  const parent = parseTraceparent(header);
  return parent && writeTraceparent(parent);
}

/** Errors before a connection, and refusals, have started nothing. */
function mayHaveBegun({ code }: GatewayError): boolean {
  return code === "upstream_timeout" || code === "upstream_failed" || code === "canceled";
}

function outgoing(
  body: ReturnType<VideoEndpoint["style"]["outbound"]["build"]>,
  { headers = {} }: VideoEndpoint,
): Outgoing<Body> {
  if (!(body instanceof Form)) return { body: JSON.stringify(body), headers };
  const { contentType, body: form } = body.encode();
  return { body: form, headers: { ...headers, "content-type": contentType } };
}

const MAX_PROMPT_CHARS = 4_000;
const MAX_TEXT_CHARS = 2_048;

/** The stored facts of a request, without media. */
export function factsOf(question: VideoRequest): TaskFacts {
  const { scenario, prompt, payload, source } = question;
  return {
    scenario,
    ...source?.was,
    ...defined({
      prompt: prompt?.slice(0, MAX_PROMPT_CHARS),
      payload: payload?.slice(0, MAX_TEXT_CHARS),
      seconds: question.seconds,
      frames: question.frames,
      size: question.size,
      resolution: question.resolution,
      ratio: question.ratio,
      framesPerSecond: question.framesPerSecond,
      seed: question.seed,
      audio: question.audio,
      music: question.music,
      watermark: question.watermark,
      lastFrame: question.lastFrame,
      count: question.count,
      externalId: question.externalId,
      callbackUrl: question.callbackUrl,
      remixedFrom: source?.id,
    }),
  };
}

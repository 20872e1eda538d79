import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { LinkFollower, MediaFetcher } from "#core/media.ts";
import { FREE } from "#core/money.ts";
import type { Task, TaskStore } from "#core/task.ts";
import type { TaskFacts, VideoRequest } from "#core/video.ts";
import { expectedUsage } from "#core/video.ts";
import { Form } from "#lib/form.ts";
import type { Body } from "#lib/pieces.ts";
import { defined } from "#lib/values.ts";
import type { VideoEndpoint } from "#providers/provider.ts";
import { admit, type AdmitDeps } from "../admit.ts";
import {
  callWithFailover,
  type AttemptDeps,
  type Outgoing,
  type UpstreamTransport,
} from "../failover/attempt.ts";
import type { Served } from "../call.ts";
import type { DeliverySettings } from "../delivery/deliver.ts";
import { endable } from "../metering/open-calls.ts";
import { isUnpriced, type Candidate, type Plan } from "../routing/route.ts";
import { noteUnpriced, type Settlement } from "../metering/settlement.ts";
import { parseAnswer } from "../delivery/whole.ts";
import { otherPlace, resolveAssets, type Home, type ReferenceDeps } from "../assets/references.ts";
import { nextPollAt } from "./task-update.ts";
import { prepareMedia } from "./prepare-media.ts";

export interface SubmitDeps extends AttemptDeps, AdmitDeps {
  readonly delivery: DeliverySettings;
  readonly tasks: TaskStore;
  readonly media: MediaFetcher;
  readonly links: Pick<LinkFollower, "check">;
  readonly maxPixels: number;
  /** Who leases what this gateway takes on, and for how long. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Where vendors may tell us of a task; undefined where this gateway cannot be reached by them. */
  callbackUrlFor(channel: string, taskId: string): string | undefined;
  readonly references: ReferenceDeps;
  /** A task that this gateway goes on with. */
  onTaken(task: Task): void;
}

/** A video that is asked for, on its way. Its caller may leave; the task goes on. */
export interface AskedVideo extends Served {
  readonly isLasting: true;
  readonly question: VideoRequest;
  /** The caller would rather be refused than lose a field. */
  readonly isStrict: boolean;
  /** The caller's id for it is for no other task of theirs. */
  readonly ownsExternalId?: boolean;
  /** The one place where it may run, since what it is made from is there. */
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
 * Has a task taken on by a vendor. The task is on disk before a vendor is
 * asked, with the name of whoever is being asked; nobody else is asked where it
 * is not certain that the first one did not take it on.
 */
export async function submitTask(asked: AskedVideo, deps: SubmitDeps): Promise<Task> {
  const { callbackUrl } = asked.question;
  if (callbackUrl !== undefined) deps.links.check(callbackUrl, "callback_url");
  const bound = await resolveAssets(asked.question, asked.key.userId, asked.home, deps.references);
  const call = endable({ ...asked, ...bound });
  const isBound = bound.home !== asked.home;
  const planned = (): Plan<VideoRoute> =>
    isBound ? planThere(call, asked.home, deps) : planVideo(call, deps);
  const { plan, settlement } = await admit(call, planned, deps);
  const submission = new Submission(call, plan, deps);
  try {
    await settlement.durable;
    const begun = await callWithFailover(call, plan, settlement, deps, (route, transport) =>
      submission.try(route, transport),
    );
    begun.release();
    const task = await submission.taken(begun.answer);
    if (isUnpriced(begun.route)) noteUnpriced(asked, begun.route, deps);
    return task;
  } catch (cause) {
    return await submission.refused(GatewayError.from(cause), settlement);
  } finally {
    settlement.transfer();
  }
}

/** Where the assets are. A model that is somewhere else is not as good as none. */
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

/** Throws what the models of the name refuse, where all do. */
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

/** What will be made there, as far as it is known before. */
function factsOn({ style, dialect }: VideoEndpoint, question: VideoRequest): TaskFacts {
  return { ...factsOf(question), ...style.outbound.expect?.(question, dialect) };
}

/** Nobody knows how long it will be: the longest is reserved. */
function longestOn(
  { style, dialect }: VideoEndpoint,
  question: VideoRequest,
): Pick<TaskFacts, "seconds"> {
  return defined({ seconds: style.outbound.longest?.(question, dialect) });
}

const MAX_TRIES = 5;

/** What has become of one request, on disk as it becomes. */
class Submission {
  readonly #call: AskedVideo;
  readonly #plan: Plan<VideoRoute>;
  readonly #deps: SubmitDeps;
  #task: Task | undefined;
  /** A vendor was sent the request, and did not say that it refused it. */
  #isAmbiguous = false;

  constructor(call: AskedVideo, plan: Plan<VideoRoute>, deps: SubmitDeps) {
    this.#call = call;
    this.#plan = plan;
    this.#deps = deps;
  }

  /** The vendor's id of the task. */
  async try(route: VideoRoute, transport: UpstreamTransport): Promise<string> {
    const { question, isStrict, id, signal } = this.#call;
    const { endpoint, upstreamModel: model, channel, traits } = route;
    const { style, dialect } = endpoint;
    const report = new LossReport();
    const prepared = await prepareMedia({ ...question, model }, endpoint.media, {
      ...this.#deps,
      signal,
    });
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

  /** Taken on by a vendor. */
  async taken(upstreamId: string): Promise<Task> {
    const { tasks, clock, onError } = this.#deps;
    let task: Task | undefined = this.#known();
    // Another gateway may have thought this one dead, and may be looking for the task.
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
        // The vendor makes it all the same: the board knows, and writes it down with the next news.
        onError(cause);
        return this.#goOnWith({ ...known, ...change });
      }
    }
    throw new GatewayError("internal", "The task was given up while it was taken on.");
  }

  /** Refused by everybody, or nobody knows. */
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

  /** Nobody was told its id. */
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

  /** What cannot be written is left to the board: else nobody would look at the task as long as this gateway lives. */
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
    const { tasks, clock, owner, leaseMs } = this.#deps;
    const place = {
      channel: channel.name,
      provider: provider.id,
      upstreamModel,
      format: endpoint.style.id,
      credential,
    };
    const now = clock.now();
    const deadlineAt = now + endpoint.deadlineMs;
    const { id, key, style, facts, question, at, ownsExternalId } = this.#call;
    const here = {
      status: "submitting" as const,
      place,
      deadlineAt,
      facts: asked,
      lost,
      usage: expectedUsage(asked, question),
      // Said even where there is none: another channel's may stand there.
      price,
    };
    if (this.#task !== undefined) {
      this.#task = await tasks.change(this.#task, here, owner);
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
    await tasks.create(task, owner, leaseMs, ownsExternalId);
    this.#task = task;
  }

  #known(): Task {
    if (this.#task === undefined) throw new GatewayError("internal", "The task was lost.");
    return this.#task;
  }

  #goOnWith(task: Task): Task {
    this.#deps.onTaken(task);
    return task;
  }
}

/** Ends the attempts: asking somebody else might have the video made twice. */
class Unknown extends GatewayError {
  constructor(cause: GatewayError) {
    super("internal", "It is not known whether the upstream took the task on.", { cause });
  }
}

/** Whatever comes before a connection, or says no, has begun nothing. */
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

/** What is kept of a question: nothing of the media. */
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

import { GatewayError } from "#core/error.ts";
import { isOver, type Task, type TaskStore } from "#core/task.ts";
import { isProven } from "#egress/notice-proof.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import type { NoticeTerms } from "#providers/provider.ts";
import type { AskDeps } from "./ask.ts";

export interface HearDeps extends Pick<AskDeps, "findChannel"> {
  readonly tasks: TaskStore;
  readonly clock: Clock;
}

/** What a vendor sent us, as it came. */
export interface Heard {
  readonly channel: string;
  /** Of the address that it was given. */
  readonly taskId: string;
  readonly body: Uint8Array;
  header(name: string): string;
}

/**
 * The task that a vendor has something to say about; undefined where it is
 * nobody's, or over. What is said of it is not believed: whoever wants to know
 * asks the vendor. Throws `unauthenticated` where a signature was agreed on and
 * this is none.
 */
export async function hear(heard: Heard, deps: HearDeps): Promise<Task | undefined> {
  const channel = deps.findChannel(heard.channel);
  const provider = channel && findProvider(channel.provider);
  const terms = provider?.videos?.find(({ notices }) => notices !== undefined)?.notices;
  if (channel === undefined || terms === undefined) return undefined;
  const proof = {
    message: {
      id: heard.header("webhook-id"),
      timestamp: Number(heard.header("webhook-timestamp") || Number.NaN),
      body: heard.body,
    },
    signatures: heard.header("webhook-signature"),
  };
  const nowSeconds = Math.floor(deps.clock.now() / 1_000);
  const { secretIn = NO_SECRET } = terms;
  if (isProven(channel, secretIn, proof, nowSeconds) === false) {
    throw new GatewayError("unauthenticated", "This notice is not signed as it should be.");
  }
  const task = await subjectOf(heard, terms, deps.tasks);
  return task === undefined || isOver(task) ? undefined : task;
}

const NO_SECRET = (): undefined => undefined;

async function subjectOf(
  { channel, taskId, body }: Heard,
  { idIn }: NoticeTerms,
  tasks: TaskStore,
): Promise<Task | undefined> {
  const named = await tasks.findAny(taskId);
  if (named?.place?.channel === channel) return named;
  const json = parseJson(new TextDecoder().decode(body));
  const upstreamId = isObject(json) ? idIn(json) : undefined;
  return upstreamId === undefined ? undefined : await tasks.findByUpstream(channel, upstreamId);
}

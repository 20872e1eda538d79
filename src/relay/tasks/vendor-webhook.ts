import { GatewayError } from "#core/error.ts";
import { isOver, type Task, type TaskStore } from "#core/task.ts";
import { isSignatureValid } from "#egress/webhook-signature.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import type { VendorWebhookTerms } from "#providers/provider.ts";
import type { PollDeps } from "./poll.ts";

interface VendorWebhookDeps extends Pick<PollDeps, "findChannel"> {
  readonly tasks: TaskStore;
  readonly clock: Clock;
}

/** A vendor's webhook request, unchanged. */
export interface VendorWebhook {
  readonly channel: string;
  /** From the URL that the vendor was given. */
  readonly taskId: string;
  readonly body: Uint8Array;
  header(name: string): string;
}

/**
 * The task of a vendor's webhook; undefined if it is unknown or ended. The content is not trusted:
 * it only triggers a poll. Throws `unauthenticated` if a signature is required and invalid.
 */
export async function handleVendorWebhook(
  webhook: VendorWebhook,
  deps: VendorWebhookDeps,
): Promise<Task | undefined> {
  const channel = deps.findChannel(webhook.channel);
  const provider = channel && findProvider(channel.provider);
  const terms = provider?.videos?.find(({ webhooks }) => webhooks !== undefined)?.webhooks;
  if (channel === undefined || terms === undefined) return undefined;
  const proof = {
    message: {
      id: webhook.header("webhook-id"),
      timestamp: Number(webhook.header("webhook-timestamp") || Number.NaN),
      body: webhook.body,
    },
    signatures: webhook.header("webhook-signature"),
  };
  const nowSeconds = Math.floor(deps.clock.now() / 1_000);
  const { secretIn = NO_SECRET } = terms;
  if (isSignatureValid(channel, secretIn, proof, nowSeconds) === false) {
    throw new GatewayError("unauthenticated", "The signature of this webhook is invalid.");
  }
  const task = await subjectOf(webhook, terms, deps.tasks);
  return task === undefined || isOver(task) ? undefined : task;
}

const NO_SECRET = (): undefined => undefined;

async function subjectOf(
  { channel, taskId, body }: VendorWebhook,
  { idIn }: VendorWebhookTerms,
  tasks: TaskStore,
): Promise<Task | undefined> {
  const named = await tasks.findAny(taskId);
  if (named?.place?.channel === channel) return named;
  const json = parseJson(new TextDecoder().decode(body));
  const upstreamId = isObject(json) ? idIn(json) : undefined;
  return upstreamId === undefined ? undefined : await tasks.findByUpstream(channel, upstreamId);
}

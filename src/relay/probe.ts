import type { Channel, Credential } from "#core/channel.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import { outlineJson } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import { chat } from "#styles/text/chat/index.ts";
import { Attempt, type TryDeps } from "./failover/attempt.ts";
import type { Call } from "./call.ts";
import type { Channels } from "./routing/channels.ts";
import { askForModels } from "./routing/discover.ts";
import { beginWhole, type WholeDeps } from "./relay.ts";
import { routeFor, type Route } from "./routing/route.ts";
import type { WholeReading } from "./delivery/whole.ts";
import { NO_USAGE } from "#core/usage.ts";

export interface ProbeDeps extends WholeDeps {
  readonly attempts: TryDeps;
}

/** The result of testing one credential of a channel. */
export interface Probe {
  /** Label of the credential; empty if the channel has none. */
  readonly label: string;
  readonly latencyMs: number;
  /** Number of models in the upstream's list; undefined if a model was called. */
  readonly models?: number;
  /** Undefined on success. */
  readonly fault?: FaultCode;
  /** Sanitized for display. */
  readonly message?: string;
}

const LONGEST_MS = 30_000;

/** A key without a user: a probe is not admitted, reserved or charged. */
const PROBE_KEY: ApiKey = {
  id: 0,
  userId: 0,
  name: "",
  status: KEY_STATUS.enabled,
  models: ["*"],
  accounts: [],
};

/**
 * Tests each credential of a channel: requests the upstream's model list, or one token if a model
 * is given.
 */
export async function probe(
  channel: Channel,
  model: string | undefined,
  table: Pick<Channels, "candidateOn">,
  deps: ProbeDeps,
  caller: AbortSignal,
): Promise<readonly Probe[]> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate()), LONGEST_MS);
  const signal = AbortSignal.any([caller, late.signal]);
  const { credentials } = channel;
  try {
    return await Promise.all(
      (credentials.length === 0 ? [undefined] : credentials).map((each) =>
        timed(each, deps.attempts, () =>
          model === undefined
            ? countModels(channel, each, deps.attempts, signal)
            : askModel(channel, model, each, table, deps, signal),
        ),
      ),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the upstream has a model list. */
export function canListModels({ provider }: Channel): boolean {
  return findProvider(provider)?.modelsPath !== undefined;
}

async function timed(
  credential: Credential | undefined,
  { clock }: TryDeps,
  ask: () => Promise<{ readonly models?: number }>,
): Promise<Probe> {
  const startedAt = clock.monotonic();
  const label = credential?.label ?? "";
  const latencyMs = (): number => Math.round(clock.monotonic() - startedAt);
  try {
    const said = await ask();
    return { label, latencyMs: latencyMs(), ...said };
  } catch (cause) {
    const { code, message } = GatewayError.from(cause);
    return { label, latencyMs: latencyMs(), fault: code, message };
  }
}

async function countModels(
  channel: Channel,
  credential: Credential | undefined,
  { egress, health }: TryDeps,
  signal: AbortSignal,
): Promise<{ readonly models: number }> {
  const models = await health.witness(channel, credential, "models", () =>
    askForModels(channel, egress, signal, credential),
  );
  return { models: models.length };
}

async function askModel(
  channel: Channel,
  model: string,
  credential: Credential | undefined,
  table: Pick<Channels, "candidateOn">,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<object> {
  const call = oneTokenCall(model, deps.attempts, signal);
  const route = routeFor(table.candidateOn(channel, model), call);
  const unrecorded = { recordAttempt: () => {}, amendAttempt: () => {} };
  const attempt = new Attempt<WholeReading, Route>(
    call,
    route,
    credential,
    unrecorded,
    deps.attempts,
  );
  await attempt.run(beginWhole(call, deps));
  attempt.release();
  return {};
}

/** Translated for the upstream, because the member for the output limit differs. */
function oneTokenCall(model: string, { clock }: TryDeps, signal: AbortSignal): Call {
  const json = { model, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] };
  const text = JSON.stringify(json);
  return {
    id: "",
    key: PROBE_KEY,
    style: chat,
    body: { text, outline: outlineJson(text, 8), json },
    facts: { ...chat.inbound.readRequest(json, {}), mustTranslate: true },
    inputTokens: 1,
    header: () => undefined,
    isStrict: false,
    signal,
    at: clock.now(),
    startedAt: clock.monotonic(),
    now: () => clock.now(),
    count: async () => NO_USAGE,
  };
}

function tooLate(): GatewayError {
  return new GatewayError(
    "upstream_timeout",
    `The upstream did not answer within ${LONGEST_MS / 1_000} seconds.`,
  );
}

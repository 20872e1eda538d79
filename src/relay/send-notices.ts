import { GatewayError } from "#core/error.ts";
import type { Notice, NoticeSecrets, NoticeStore } from "#core/notice.ts";
import type { LinkFollower } from "#core/media.ts";
import type { Clock } from "#lib/clock.ts";
import { inLanes, type Errands } from "#lib/in-lanes.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { defined } from "#lib/values.ts";

export interface SendDeps {
  readonly notices: NoticeStore;
  readonly secrets: NoticeSecrets;
  readonly clock: Clock;
  /** Posts to an address that a caller named. */
  readonly links: Pick<LinkFollower, "post">;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** As https://www.standardwebhooks.com advises, to a tenth more or less; then nobody will take it. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
/** Longer than a place in a lane is waited for, and a try takes. */
const LEASE_MS = MINUTE_MS;
const BOUNDS = { batch: 64, most: 256, atOnceInOne: 4, waitingInOne: 12 };
/** Those that the lane of their receiver has no place for. */
const CROWDED_MS = 5 * SECOND_MS;
const GONE = 410;

/** Sends what is due, until nothing is. One receiver that takes its time delays no other. */
export async function sendNotices(deps: SendDeps, signal: AbortSignal): Promise<void> {
  const { notices, clock } = deps;
  const errands: Errands<Notice> = {
    take: (most) => notices.lease(LEASE_MS, most),
    laneOf: ({ url }) => URL.parse(url)?.host ?? "",
    run: (notice) => send(notice, deps),
    async putOff({ id, attempts, lastError }, isCrowded) {
      const dueAt = clock.now() + (isCrowded ? CROWDED_MS : 0);
      await notices.tried(id, { state: "pending", attempts, dueAt, ...defined({ lastError }) });
    },
  };
  await inLanes(errands, BOUNDS, signal);
}

async function send(notice: Notice, deps: SendDeps): Promise<void> {
  const attempts = notice.attempts + 1;
  const now = deps.clock.now();
  const outcome = await post(notice, deps);
  if (outcome === undefined) {
    await deps.notices.tried(notice.id, { state: "delivered", attempts, dueAt: now });
    return;
  }
  const pause = PAUSES_MS[attempts - 1];
  const { lastError, isFinal } = outcome;
  if (pause === undefined || isFinal) {
    await deps.notices.tried(notice.id, { state: "dead", attempts, dueAt: now, lastError });
    return;
  }
  const dueAt = now + Math.round(pause * (1 - JITTER + 2 * JITTER * Math.random()));
  await deps.notices.tried(notice.id, { state: "pending", attempts, dueAt, lastError });
}

interface Refusal {
  readonly lastError: string;
  /** Nobody there will ever take it. */
  readonly isFinal: boolean;
}

async function post(notice: Notice, deps: SendDeps): Promise<Refusal | undefined> {
  const secrets = await deps.secrets.of(notice.userId);
  const timestamp = Math.floor(deps.clock.now() / SECOND_MS);
  const message = { id: notice.id, timestamp, body: notice.body };
  try {
    const status = await deps.links.post(notice.url, notice.body, {
      "content-type": "application/json",
      "webhook-id": notice.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": secrets.map((secret) => signatureOf(secret, message)).join(" "),
    });
    if (status >= 200 && status < 300) return undefined;
    return { lastError: `It answered with status ${status}.`, isFinal: status === GONE };
  } catch (cause) {
    return { lastError: GatewayError.from(cause).message, isFinal: false };
  }
}

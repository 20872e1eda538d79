import { GatewayError } from "#core/error.ts";
import {
  pathOf,
  type MediaBytes,
  type MediaCopy,
  type MediaCopyStore,
  type MediaPlace,
  type MediaStore,
} from "#core/kept-media.ts";
import type { Task, TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import { processDue, type Work } from "#lib/process-due.ts";
import type { VendorContent } from "./at-vendor.ts";
import { variantsOf } from "./variants.ts";

/** Storage of requested and finished copies. */
interface CopiesDeps {
  readonly copies: MediaCopyStore;
  readonly clock: Clock;
}

interface CopyDeps extends CopiesDeps {
  readonly stores: Readonly<Partial<Record<MediaPlace, MediaStore>>>;
  readonly tasks: Pick<TaskStore, "findAny">;
  readonly vendor: Pick<VendorContent, "open">;
  onError(cause: unknown): void;
}

const MINUTE_MS = 60_000;
/** Retry delays. Then the copy is abandoned, because links expire soon after. */
const PAUSES_MS = [0.5, 2, 10, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);
const LEASE_MS = 2 * MINUTE_MS;
/** Extends the lease well before its end, while bytes arrive. */
const PROLONG_MS = MINUTE_MS / 2;
const AT_ONCE = 4;

/** Requests copies of a finished task's files; repeated calls have no effect. */
export async function wantCopies(
  task: Task,
  place: MediaPlace,
  { copies, clock }: CopiesDeps,
): Promise<void> {
  if (task.status !== "succeeded") return;
  const files = task.videos.flatMap((video, index) =>
    variantsOf(video).map((variant) => ({ taskId: task.id, index, variant })),
  );
  await copies.want(files, place, clock.now());
}

/** Makes due copies, several at once, until none remains. */
export async function copyDue(deps: CopyDeps, signal: AbortSignal): Promise<void> {
  const { copies, onError } = deps;
  const work: Work<MediaCopy> = {
    lease: (room) => copies.lease(LEASE_MS, room),
    // A failed copy stays leased until its lease expires.
    act: (copy) => tryCopy(copy, deps, signal).catch(onError),
    batch: AT_ONCE,
    most: AT_ONCE,
  };
  await processDue(work, signal);
}

async function tryCopy(copy: MediaCopy, deps: CopyDeps, signal: AbortSignal): Promise<void> {
  const { copies, clock, onError } = deps;
  const attempts = copy.attempts + 1;
  try {
    await copyFile(copy, deps, signal);
  } catch (cause) {
    // Due at once, for another gateway or the next start.
    if (signal.aborted) return await copies.missed(copy, copy.attempts, clock.now());
    const { code, fault } = GatewayError.from(cause);
    if (fault.blame === "gateway") onError(cause);
    const pause = PAUSES_MS[attempts - 1];
    const isOver = pause === undefined || code === "content_gone" || code === "not_found";
    await copies.missed(copy, attempts, isOver ? undefined : clock.now() + pause);
  }
}

async function copyFile(copy: MediaCopy, deps: CopyDeps, signal: AbortSignal): Promise<void> {
  const { copies, stores, tasks, vendor, clock } = deps;
  const store = stores[copy.place];
  const task = await tasks.findAny(copy.taskId);
  if (store === undefined || task === undefined) throw new GatewayError("not_found", "Not here.");
  const content = await vendor.open(task, { index: copy.index, variant: copy.variant, signal });
  try {
    const bytes = whileHeld(iterated(content.body), () => copies.prolong(copy, LEASE_MS), clock);
    const { mediaType } = content;
    const stored = await store.put(pathOf(copy), bytes, mediaType);
    const isWanted = await copies.keep(copy, { ...stored, mediaType, at: clock.now() });
    if (!isWanted) await store.remove(pathOf(copy));
  } finally {
    content.close();
  }
}

async function* whileHeld(
  bytes: AsyncIterable<Uint8Array>,
  prolong: () => Promise<void>,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  let heldAt = clock.monotonic();
  for await (const piece of bytes) {
    if (clock.monotonic() - heldAt >= PROLONG_MS) {
      await prolong();
      heldAt = clock.monotonic();
    }
    yield piece;
  }
}

function iterated(body: MediaBytes): AsyncIterable<Uint8Array> {
  return body instanceof Blob ? body.stream() : body;
}

/** Deletes copies that are too old, or whose task was deleted. Returns their number. */
export async function removeUnwanted(
  before: number,
  limit: number,
  { copies, stores }: Pick<CopyDeps, "copies" | "stores">,
): Promise<number> {
  const unwanted = await copies.listUnwanted(before, limit);
  const removals = await Promise.allSettled(
    unwanted.map(async (copy) => {
      // A copy in a store that is no longer configured cannot be deleted.
      await stores[copy.place]?.remove(pathOf(copy));
      await copies.forget(copy);
    }),
  );
  const failure = removals.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return unwanted.length;
}

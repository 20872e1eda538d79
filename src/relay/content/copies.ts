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

/** Of copies that are wanted or kept. */
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
/** Then it is given up: links do not last much longer. */
const PAUSES_MS = [0.5, 2, 10, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);
const LEASE_MS = 2 * MINUTE_MS;
/** Well before the lease ends, while bytes come. */
const PROLONG_MS = MINUTE_MS / 2;
const AT_ONCE = 4;

/** Has the files of a finished task copied, once, however often this is done. */
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

/** Copies what is due, a few at once, until nothing is. */
export async function copyDue(deps: CopyDeps, signal: AbortSignal): Promise<void> {
  const { copies, onError } = deps;
  const work: Work<MediaCopy> = {
    lease: (room) => copies.lease(LEASE_MS, room),
    // Its lease ends by itself.
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
    // Another gateway, or the next start, goes on at once.
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

/** Removes copies that are too old, or whose task is no more; how many that were. */
export async function removeUnwanted(
  before: number,
  limit: number,
  { copies, stores }: Pick<CopyDeps, "copies" | "stores">,
): Promise<number> {
  const unwanted = await copies.listUnwanted(before, limit);
  const removals = await Promise.allSettled(
    unwanted.map(async (copy) => {
      // In a store that is not configured any more it stays, and nobody can tell.
      await stores[copy.place]?.remove(pathOf(copy));
      await copies.forget(copy);
    }),
  );
  const failure = removals.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return unwanted.length;
}

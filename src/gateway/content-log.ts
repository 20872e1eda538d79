import { join } from "node:path";
import type { MediaStore } from "#core/kept-media.ts";
import { ContentLog } from "#relay/content-log/content-log.ts";
import { ContentStore } from "#relay/content-log/content-store.ts";
import { below } from "#storage/media/below.ts";
import type { Telemetry } from "#relay/telemetry/telemetry.ts";
import { openMediaFolder } from "#storage/media/media-folder.ts";
import { removeOldDays } from "#storage/media/remove-old-days.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Media } from "./media.ts";
import type { Relay } from "./relay.ts";

const FOLDER = "content-log";

export interface Contents {
  readonly contentLog: ContentLog;
  readonly contentStore: ContentStore;
  /** Deletes the files of this machine that are from days before `before` (Unix ms). */
  readonly removeOldContents: (before: number) => Promise<void>;
}

/** Opens the content log. Its last contents are written after the last call. */
export function openContentLog(
  {
    settings,
    problems,
    clock,
    observers,
    stores,
    showTask,
    storage,
    telemetry,
  }: Pick<Infrastructure, "settings" | "problems" | "clock"> &
    Pick<Relay, "observers"> &
    Pick<Media, "stores" | "showTask"> &
    Stores<"contents" | "tasks"> & { readonly telemetry: Telemetry | undefined },
  opened: AsyncDisposableStack,
): Contents {
  const folder = join(settings.dataDir, FOLDER);
  const onError = (cause: unknown): void =>
    problems.error("content log", cause, "content log failed: contents lost");
  const bucket: MediaStore | undefined = stores.s3 && below(FOLDER, stores.s3);
  const contentStore = new ContentStore({
    index: storage.contents,
    stores: { folder: openMediaFolder(folder), ...(bucket === undefined ? {} : { s3: bucket }) },
    place: settings.contentLogStore,
    clock,
    onError,
  });
  const traced = settings.otelContent === "on" ? telemetry : undefined;
  const contentLog = opened.use(
    new ContentLog({
      settings,
      store: (contents) => contentStore.store(contents),
      find: async (callId) => (await contentStore.read(callId))?.content,
      remove: (callId) => contentStore.remove(callId),
      async resultOf(taskId) {
        const task = await storage.tasks.findAny(taskId);
        return task && showTask(task);
      },
      onContent: traced && ((callId, content) => traced.endContent(callId, content)),
      onError,
    }),
  );
  traced?.takeContentOf({
    isLogged: (callId) => contentLog.isOpen(callId),
    get maxChars() {
      return settings.limits.otelContentBytes;
    },
  });
  observers.add(contentLog);
  return {
    contentLog,
    contentStore,
    removeOldContents: (before) => removeOldDays(folder, before),
  };
}

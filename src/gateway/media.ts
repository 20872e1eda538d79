import { join } from "node:path";
import type { Settings } from "#config.ts";
import type { MediaPlace } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import type { InboundVideoFormat } from "#core/video.ts";
import { openMediaBucket } from "#egress/media-bucket.ts";
import { deriveKey } from "#lib/derive-key.ts";
import { Contents, type ContentsDeps } from "#relay/content/contents.ts";
import { wantCopies } from "#relay/content/copies.ts";
import { TaskLinker } from "#relay/content/task-links.ts";
import { enqueueWebhook } from "#relay/tasks/enqueue-webhook.ts";
import { linksOf } from "#relay/tasks/links.ts";
import { openMediaFolder } from "#storage/media/media-folder.ts";
import { VIDEO_FORMATS } from "#styles/video/index.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Links } from "./links.ts";
import type { Routing } from "./routing.ts";

type Needs = Pick<
  Infrastructure,
  "config" | "problems" | "clock" | "pepper" | "settings" | "egress" | "publicUrl"
> &
  Stores<"mediaCopies" | "notices" | "tasks"> &
  Pick<Routing, "findChannel"> &
  Pick<Links, "linkedFiles">;

export interface Media {
  /** Storage of new copies; undefined if no copies are made. */
  readonly mediaPlace: MediaPlace | undefined;
  readonly stores: ContentsDeps["stores"];
  readonly contents: Contents;
  readonly taskLinker: TaskLinker;
  /** Queues the webhook of a finished task and orders copies of its files. */
  announce(task: Task): Promise<void>;
  /** The state of a task as its client gets it; undefined if its format is no longer known. */
  showTask(task: Task): string | undefined;
}

/** Opens access to the files of tasks, at their vendors or in our copies. */
export function openMedia(needs: Needs): Media {
  const { config, problems, clock, pepper, storage, settings, egress, publicUrl, findChannel } =
    needs;
  const mediaPlace = settings.mediaStore === "off" ? undefined : settings.mediaStore;
  const stores = openStores(config.settings, settings.limits);
  const copies = storage.mediaCopies;
  const taskLinker = new TaskLinker({ clock, key: deriveKey(pepper, "links to videos") });
  const announcing = {
    notices: storage.notices,
    clock,
    formatOf: (entry: string) => VIDEO_FORMATS.get(entry),
    keepsMedia: mediaPlace !== undefined,
    addressOf: (task: Task, format: InboundVideoFormat) =>
      taskLinker.addressOf(task, publicUrl ?? "", format),
  };
  return {
    mediaPlace,
    stores,
    taskLinker,
    contents: new Contents({
      egress,
      clock,
      tasks: storage.tasks,
      findChannel,
      copies,
      stores,
      files: needs.linkedFiles,
      limits: settings.limits,
      onError: (cause) => problems.error("media", cause, "media store failed"),
    }),
    async announce(task) {
      // Before the webhook is queued, because its receiver may request the files at once.
      if (mediaPlace !== undefined) await wantCopies(task, mediaPlace, { copies, clock });
      await enqueueWebhook(task, announcing);
    },
    showTask(task) {
      const format = announcing.formatOf(task.entry);
      if (format === undefined) return undefined;
      const links = linksOf(task, announcing.addressOf(task, format), announcing.keepsMedia);
      return JSON.stringify(format.inbound.writeTask(task, links));
    },
  };
}

/** Opens both stores if configured: earlier copies may be in the store that is no longer used. */
function openStores(settings: Settings, limits: Settings["limits"]): Media["stores"] {
  const { dataDir, s3Bucket, s3Endpoint, s3Region, s3KeyId, s3Secret } = settings;
  const folder = join(dataDir, "media");
  const stores = { folder: openMediaFolder(folder) };
  if (s3Bucket === undefined || s3KeyId === undefined || s3Secret === undefined) return stores;
  const bucket = {
    name: s3Bucket,
    endpoint: s3Endpoint,
    region: s3Region,
    openKey: () => ({ id: s3KeyId, secret: s3Secret.open() }),
  };
  const options = {
    folder: join(folder, ".outgoing"),
    get idleMs() {
      return limits.idleMs;
    },
  };
  return { ...stores, s3: openMediaBucket(bucket, options) };
}

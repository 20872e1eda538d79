import type { Task } from "#core/task.ts";
import type { MadeVideo } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { changedAt } from "#styles/video/made-facts.ts";

/** https://ai.google.dev/api/files */
export function writeFile(
  name: string,
  filesUrl: string,
  task: Task,
  { mediaType = "video/mp4" }: MadeVideo,
): JsonObject {
  return {
    name: `files/${name}`,
    mimeType: mediaType,
    createTime: new Date(task.createdAt).toISOString(),
    updateTime: new Date(changedAt(task)).toISOString(),
    uri: `${filesUrl}/${name}`,
    downloadUri: `${filesUrl}/${name}:download?alt=media`,
    state: "ACTIVE",
    source: "GENERATED",
  };
}

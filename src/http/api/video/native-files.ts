import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { Task } from "#core/task.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import { readFileName } from "#styles/video/veo/file-name.ts";
import { writeFile } from "#styles/video/veo/write-file.ts";
import { FILE_ANSWER } from "#http/answer.ts";
import type { TaskFileDeps, VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { suffixOf } from "#http/api/text/path-suffix.ts";
import { NATIVE_FILE } from "./answers.ts";
import { serveFile } from "./content.ts";
import { requireTask } from "./serve-task.ts";

const DOWNLOAD = ":download";

/** Download of videos that native operations made. */
export const nativeFiles: readonly Endpoint<
  TaskFileDeps & Pick<VideoDeps, "tasks" | "publicUrl">
>[] = ["/v1beta", "/v1"].map((version) => ({
  operationId: `getFile${suffixOf(version)}`,
  tag: "Result files",
  query: z.object({ alt: z.enum(["media"]).optional() }),
  answer: {
    description: "The description, or the file.",
    content: { ...FILE_ANSWER.content, "application/json": NATIVE_FILE },
  },
  method: "GET",
  // A client that does not accept an http URL in this field appends it to `files/`.
  path: `${version}/files/:file{.+}`,
  access: "key",
  family: "videos",
  isFile: true,
  summary:
    "A finished video as a file of the native style: `{name}:download` answers with its bytes, `{name}` describes it.",
  renderError: buildError,
  handle: serve,
}));

async function serve(
  exchange: Exchange,
  deps: TaskFileDeps & Pick<VideoDeps, "tasks" | "publicUrl">,
): Promise<Response> {
  const path = exchange.param("file");
  const param = path.slice(path.lastIndexOf("/") + 1);
  const isDownload = param.endsWith(DOWNLOAD) || exchange.query.get("alt") === "media";
  const name = param.endsWith(DOWNLOAD) ? param.slice(0, -DOWNLOAD.length) : param;
  const file = readFileName(name);
  const find = async (): Promise<Task> => {
    if (file === undefined) throw new GatewayError("not_found", "File not found.");
    return await requireTask(exchange, file.taskId, deps);
  };
  const index = file?.index ?? 0;
  if (isDownload) {
    return await serveFile(exchange, find, new URLSearchParams({ index: String(index) }), deps);
  }
  const task = await find();
  const made = task.videos[index];
  if (made === undefined) throw new GatewayError("not_found", "File not found.");
  const base = deps.publicUrl ?? new URL(exchange.request.url).origin;
  return json(writeFile(name, `${base}/v1beta/files`, task, made), exchange.id);
}

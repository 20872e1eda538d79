import { z } from "zod";
import type { CallScope } from "#core/call.ts";
import type { ContentText } from "#core/content-log.ts";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import type { PastCallDeps } from "#http/deps/past-calls.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { seconds } from "../seconds.ts";

const TEXT = z.object({
  text: z.string().describe("After redaction. Long base64 is replaced by its length."),
  size_bytes: z.int().describe("Size before redaction."),
  truncated: z.boolean(),
});

const CONTENT = z
  .object({
    id: z.string(),
    stored_at: z.int(),
    expires_at: z.int().describe("By the retention of today."),
    request: TEXT,
    answer: TEXT.nullable().describe("A stream as it was sent; null if the client left before it."),
    result: TEXT.nullable().describe(
      "The state of a video task at its end; null before, and for other calls.",
    ),
  })
  .meta({ id: "CallContent" });

type Deps = Pick<PastCallDeps, "calls" | "tasks" | "contents" | "contentSettings">;

export const getCallContent = management({
  operationId: "getCallContent",
  tag: "Calls",
  method: "GET",
  path: "/api/log/content/:id",
  access: "admin",
  scope: "content:read",
  isAction: true,
  summary:
    "The request and the answer of a call, if the content log has them. " +
    "Each reading is written to the audit log.",
  data: CONTENT,
  handle: (exchange, deps: Deps) => showContent(exchange, {}, deps),
});

export const getOwnCallContent = management({
  operationId: "getOwnCallContent",
  tag: "Calls",
  method: "GET",
  path: "/api/log/self/content/:id",
  access: "user",
  scope: "content:read",
  isAction: true,
  summary:
    "The request and the answer of one of your calls, if `content_log.owners` is on. " +
    "Each reading is written to the audit log.",
  data: CONTENT,

  handle(exchange, deps: Deps) {
    if (deps.contentSettings.contentLogOwners === "on") {
      return showContent(exchange, { userId: requireUser(exchange).id }, deps);
    }
    throw new GatewayError(
      "forbidden",
      "Only admins may read the content log. The operator can change that with `content_log.owners`.",
    );
  },
});

async function showContent(
  exchange: Exchange,
  scope: CallScope,
  { calls, tasks, contents, contentSettings }: Deps,
): Promise<Response> {
  const id = exchange.param("id");
  if ((await calls.find(id, scope)) === undefined && !(await isRunningTask(tasks, id, scope))) {
    throw new GatewayError("not_found", "Call not found.");
  }
  const found = await contents.read(id);
  if (found === undefined) {
    throw new GatewayError(
      "not_found",
      "The content log has nothing of this call: it was off for the key, or the content has expired.",
    );
  }
  const { row, content } = found;
  return succeed(exchange.id, "", {
    id,
    stored_at: seconds(row.at),
    expires_at: seconds(row.at + contentSettings.contentLogDays * DAY_MS),
    request: showText(content.request),
    answer: content.answer && showText(content.answer),
    result: content.result === undefined ? null : showText(content.result),
  });
}

const DAY_MS = 86_400_000;

/** The record of a task is written at its end. */
async function isRunningTask(
  tasks: Deps["tasks"],
  id: string,
  { userId }: CallScope,
): Promise<boolean> {
  const task = await tasks.findAny(id);
  return task !== undefined && (userId === undefined || userId === task.userId);
}

function showText({ text, sizeBytes, isTruncated }: ContentText): JsonObject {
  return { text, size_bytes: sizeBytes, truncated: isTruncated };
}

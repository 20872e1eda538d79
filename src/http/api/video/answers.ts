import { z } from "zod";

const text = z.string();
const optionalText = text.optional();
const error = z.looseObject({ code: z.union([text, z.int()]), message: text });

export const VIDEO = z
  .looseObject({
    id: text,
    task_id: text,
    object: z.literal("video"),
    model: text,
    status: z.enum(["queued", "in_progress", "completed", "failed"]),
    progress: z.number(),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    expires_at: z.int().nullable(),
    prompt: text.nullable(),
    size: text,
    seconds: text,
    remixed_from_video_id: text.nullable(),
    error: error.nullable(),
    metadata: z.looseObject({ url: text }).optional(),
  })
  .meta({ id: "Video" });

export const VIDEOS = z.object({
  object: z.literal("list"),
  data: z.array(VIDEO),
  first_id: text.nullable(),
  last_id: text.nullable(),
  has_more: z.boolean(),
});

export const VIDEOS_QUERY = z.object({
  after: optionalText.meta({ description: "The id of the last video of the previous page." }),
  limit: optionalText.meta({ type: "integer", minimum: 0, maximum: 100, default: 20 }),
  order: optionalText.meta({ enum: ["asc", "desc"], default: "desc" }),
});

export const DELETED_VIDEO = z.object({
  id: text,
  object: z.literal("video.deleted"),
  deleted: z.literal(true),
});

export const CONTENT_QUERY = z.object({
  index: optionalText.meta({ type: "integer", minimum: 0, default: 0 }),
  variant: optionalText.meta({ description: "Another file of the video, such as its thumbnail." }),
});

const status = z.enum(["queued", "processing", "succeeded", "failed"]);

export const CONTENT_TASK = z
  .looseObject({
    id: text,
    model: text,
    status,
    content: z.looseObject({ video_url: text }).optional(),
    error: error.optional(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "ContentTask" });

export const CREATED_TASK = z.looseObject({ id: text });
export const CONTENT_TASKS = z.object({ items: z.array(CONTENT_TASK), total: z.int() });
export const EMPTY_ANSWER = z.object({});

export const CONTENT_TASKS_QUERY = z.object({
  page_num: optionalText.meta({ type: "integer", minimum: 1, maximum: 500, default: 1 }),
  page_size: optionalText.meta({ type: "integer", minimum: 1, maximum: 500, default: 10 }),
  "filter.status": optionalText.meta({
    enum: ["queued", "processing", "running", "succeeded", "failed"],
  }),
  "filter.model": optionalText,
  "filter.task_ids": optionalText.meta({ type: "array", items: { type: "string" } }),
  "filter.service_tier": optionalText.meta({ enum: ["default"], default: "default" }),
});

export const UNIFIED_TASK = z
  .looseObject({
    task_id: text,
    status: text,
    format: text,
    model: optionalText,
    progress: z.number().optional(),
    url: optionalText,
    created_at: z.int().optional(),
    error: error.optional(),
  })
  .meta({ id: "VideoTask" });

export const OPERATION = z
  .looseObject({
    name: text,
    done: z.boolean().optional(),
    response: z.looseObject({}).optional(),
    error: z.looseObject({ code: z.int(), message: text }).optional(),
  })
  .meta({ id: "Operation" });

export const NATIVE_FILE = z
  .looseObject({ name: text, mimeType: text, uri: text, downloadUri: text, state: text })
  .meta({ id: "NativeFile" });

export const PROTOCOL_B_ANSWER = z
  .looseObject({
    code: z.int(),
    message: text,
    data: z.looseObject({ task_id: text, status: optionalText, video_url: optionalText }),
    request_id: text,
  })
  .meta({ id: "ProtocolBAnswer" });

export const PROTOCOL_B_QUERY = z.object({
  Action: z.enum(["CVSync2AsyncSubmitTask", "CVSync2AsyncGetResult"]),
  Version: optionalText.meta({ enum: ["2022-08-31"] }),
});

export const PROTOCOL_C_SUBMITTED = z
  .looseObject({ id: text, task_id: text, model: text, status: text, state: text })
  .meta({ id: "ProtocolCSubmitted" });

export const PROTOCOL_C_TASK = z
  .looseObject({
    id: text,
    model: text,
    state: z.enum(["created", "queueing", "processing", "success", "failed"]),
    err_code: text,
    progress: z.number(),
    created_at: z.int(),
    creations: z.array(z.looseObject({ id: text, url: text })),
  })
  .meta({ id: "ProtocolCTask" });

export const PROTOCOL_D_SUBMITTED = z.looseObject({ task_id: text });

export const PROTOCOL_D_TASK = z
  .looseObject({ task: z.looseObject({ id: text, model: text, status: text }) })
  .meta({ id: "ProtocolDTask" });

const ENVELOPE = { code: z.literal(0), message: text, request_id: text };

export const PROTOCOL_E_TASK = z
  .looseObject({ ...ENVELOPE, data: z.looseObject({ task_id: text, task_status: text }) })
  .meta({ id: "ProtocolETask" });

const NEWER_TASK = z.looseObject({ id: text, status: text });

export const PROTOCOL_E_SUBMITTED = z.looseObject({ ...ENVELOPE, data: NEWER_TASK });
export const PROTOCOL_E_TASKS = z.looseObject({ ...ENVELOPE, data: z.array(NEWER_TASK) });

export const PROTOCOL_E_QUERY = z.object({
  task_ids: optionalText.meta({ description: "One id; or `external_task_ids`." }),
  external_task_ids: optionalText.meta({ description: "One id that the client chose." }),
});

import { z } from "zod";

const text = z.string();
const count = z.int();
const anything = z.looseObject({});

const chatUsage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
});

export const CHAT_COMPLETION = z
  .looseObject({
    id: text,
    object: z.literal("chat.completion"),
    created: count,
    model: text,
    choices: z.array(
      z.looseObject({
        index: count,
        message: z.looseObject({
          role: z.literal("assistant"),
          content: text.nullable().optional(),
          tool_calls: z
            .array(
              z.looseObject({
                id: text,
                type: text,
                function: z.looseObject({ name: text, arguments: text }).optional(),
              }),
            )
            .nullable()
            .optional(),
        }),
        finish_reason: text.nullable(),
      }),
    ),
    usage: chatUsage.nullable().optional(),
  })
  .meta({ id: "ChatCompletion" });

export const COMPLETION = z
  .looseObject({
    id: text,
    object: z.literal("text_completion"),
    created: count,
    model: text,
    choices: z.array(z.looseObject({ index: count, text, finish_reason: text.nullable() })),
    usage: chatUsage.nullable().optional(),
  })
  .meta({ id: "Completion" });

export const RESPONSE = z
  .looseObject({
    id: text,
    object: z.literal("response"),
    created_at: z.number(),
    status: text.optional(),
    model: text,
    output: z.array(z.looseObject({ type: text })),
    usage: z
      .looseObject({ input_tokens: count, output_tokens: count, total_tokens: count })
      .nullable()
      .optional(),
  })
  .meta({ id: "Response" });

export const COMPACTION = z
  .looseObject({
    id: text,
    object: z.literal("response.compaction"),
    created_at: z.number(),
    output: z.array(z.looseObject({ type: text })),
    usage: anything.nullable().optional(),
  })
  .meta({ id: "Compaction" });

export const DELETED_RESPONSE = z.object({
  id: text,
  object: z.literal("response"),
  deleted: z.literal(true),
});

export const INPUT_ITEMS = z.object({
  object: z.literal("list"),
  data: z.array(z.looseObject({ id: text, type: text })),
  first_id: text.nullable(),
  last_id: text.nullable(),
  has_more: z.boolean(),
});

export const INPUT_ITEMS_QUERY = z.object({
  limit: text.optional().meta({ type: "integer", minimum: 1, maximum: 100, default: 20 }),
  order: text.optional().meta({ enum: ["asc", "desc"], default: "desc" }),
  after: text.optional().meta({ description: "The id of the last item of the previous page." }),
});

export const MESSAGE = z
  .looseObject({
    id: text,
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: text,
    content: z.array(z.looseObject({ type: text })),
    stop_reason: text.nullable(),
    usage: z.looseObject({ input_tokens: count, output_tokens: count }),
  })
  .meta({ id: "Message" });

export const MESSAGE_TOKENS = z.object({ input_tokens: count });

export const RESPONSE_TOKENS = z.object({
  object: z.literal("response.input_tokens"),
  input_tokens: count,
});

export const GENERATED_CONTENT = z
  .looseObject({
    candidates: z
      .array(
        z.looseObject({
          content: z
            .looseObject({ role: text.optional(), parts: z.array(anything).optional() })
            .optional(),
          finishReason: text.optional(),
          index: count.optional(),
        }),
      )
      .optional(),
    promptFeedback: anything.optional(),
    usageMetadata: z
      .looseObject({
        promptTokenCount: count.optional(),
        candidatesTokenCount: count.optional(),
        totalTokenCount: count.optional(),
      })
      .optional(),
    modelVersion: text.optional(),
    responseId: text.optional(),
  })
  .meta({ id: "GeneratedContent" });

export const NATIVE_TOKENS = z.object({ totalTokens: count });

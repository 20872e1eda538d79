import { z } from "zod";

/** The answer of a successful request, for the API document. */
export interface Answer {
  readonly description: string;
  /** 200 if it is absent. */
  readonly status?: 101 | 302;
  /** By media type; none if the answer has no body. */
  readonly content: Readonly<Record<string, z.ZodType>>;
}

export function jsonAnswer(schema: z.ZodType, description = "The result."): Answer {
  return { description, content: { "application/json": schema } };
}

/** The same, or server-sent events if the request asks for a stream. */
export function streamableAnswer(schema: z.ZodType, description = "The result."): Answer {
  return {
    description,
    content: { "application/json": schema, "text/event-stream": EVENTS },
  };
}

export const BYTES = z.string().meta({ format: "binary" });
const EVENTS = z.string().describe("Server-sent events of the style.");

export const FILE_ANSWER: Answer = {
  description: "The file.",
  content: { "video/*": BYTES, "image/*": BYTES },
};

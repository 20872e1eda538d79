import { message, repeated } from "./message.ts";
import {
  boolean,
  bytes,
  double,
  enumeration,
  int32,
  struct,
  text,
  type Reader,
} from "./scalars.ts";

const blob = message("Blob", { mimeType: text, data: bytes, displayName: text });
const fileData = message("FileData", { mimeType: text, fileUri: text, displayName: text });

/** What a part is; what else stands in it is said about that. */
export const PART_KINDS = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
] as const;

const part = message(
  "Part",
  {
    text,
    inlineData: blob,
    fileData,
    functionCall: message("FunctionCall", { id: text, name: text, args: struct }),
    functionResponse: message("FunctionResponse", {
      id: text,
      name: text,
      response: struct,
      parts: repeated(
        message(
          "FunctionResponsePart",
          { inlineData: blob, fileData },
          {
            group: "data",
            names: ["inlineData", "fileData"],
          },
        ),
      ),
      willContinue: boolean,
      scheduling: enumeration("FunctionResponse.Scheduling", [
        "SCHEDULING_UNSPECIFIED",
        "SILENT",
        "WHEN_IDLE",
        "INTERRUPT",
      ]),
    }),
    executableCode: message("ExecutableCode", {
      id: text,
      language: enumeration("ExecutableCode.Language", ["LANGUAGE_UNSPECIFIED", "PYTHON"]),
      code: text,
    }),
    codeExecutionResult: message("CodeExecutionResult", {
      id: text,
      outcome: enumeration("CodeExecutionResult.Outcome", [
        "OUTCOME_UNSPECIFIED",
        "OUTCOME_OK",
        "OUTCOME_FAILED",
        "OUTCOME_DEADLINE_EXCEEDED",
      ]),
      output: text,
    }),
    toolCall: message("ToolCall", { id: text, toolType: text, args: struct }),
    toolResponse: message("ToolResponse", { id: text, toolType: text, response: struct }),
    thought: boolean,
    thoughtSignature: bytes,
    videoMetadata: message("VideoMetadata", { startOffset: text, endOffset: text, fps: double }),
    mediaResolution: message("MediaResolution", { level: text, numTokens: int32 }),
    partMetadata: struct,
  },
  { group: "data", names: PART_KINDS },
);

/** One turn of a conversation: https://ai.google.dev/api/caching#Content */
export const content = message("Content", { role: text, parts: repeated(part) });

export type Content = Read<typeof content>;
export type Part = Read<typeof part>;
export type InlineData = Read<typeof blob>;
export type FileData = Read<typeof fileData>;

type Read<Each> = Each extends Reader<infer Value> ? Value : never;

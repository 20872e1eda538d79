import type { Media } from "../engine/media.ts";
import { countTokens } from "../engine/tokens.ts";
import type { JsonObject } from "../json.ts";
import { mediaOf } from "./media.ts";
import type { Prompt } from "./prompt.ts";
import type { Content } from "./proto/content.ts";

/** Input tokens of a prompt, by modality. */
export interface PromptTokens {
  readonly total: number;
  readonly byModality: Readonly<Record<Modality, number>>;
}

type Modality = "TEXT" | "IMAGE" | "AUDIO" | "VIDEO" | "DOCUMENT";

export function countPrompt({ system, contents, toolsText }: Prompt): PromptTokens {
  const tools = toolsText === "[]" ? 0 : countTokens(toolsText);
  const said = contents.reduce((sum, each) => sum + PER_CONTENT + countTokens(wordsOf(each)), 0);
  const media = contents.flatMap(({ parts = [] }) => mediaOf(parts));
  const of = (kind: Media["kind"]) =>
    media.reduce((sum, each) => sum + (each.kind === kind ? tokensOf(each) : 0), 0);
  const byModality = {
    TEXT: countTokens(system) + tools + said,
    IMAGE: of("image"),
    AUDIO: of("audio"),
    VIDEO: of("video"),
    DOCUMENT: of("file"),
  };
  return { total: Object.values(byModality).reduce((sum, each) => sum + each), byModality };
}

/** The list in usage; empty entries are omitted. */
export function tokensDetails({ byModality }: PromptTokens): readonly JsonObject[] {
  return Object.entries(byModality)
    .filter(([modality, tokenCount]) => tokenCount > 0 || modality === "TEXT")
    .map(([modality, tokenCount]) => ({ modality, tokenCount }));
}

/** All that is read of a prompt, in the order in which a cache would compare it. */
export function promptText({ system, contents, toolsText }: Prompt): string {
  return [toolsText, system, ...contents.map(wordsOf)].join("\n");
}

const PER_CONTENT = 1;

/** Thoughts come back for show, and are not read again. */
function wordsOf({ role = "user", parts = [] }: Content): string {
  const said = parts.flatMap((part) => {
    if (part.thought === true) return [];
    const { text, functionCall, functionResponse, executableCode, codeExecutionResult } = part;
    return [
      text ?? "",
      functionCall === undefined
        ? ""
        : `${functionCall.name} ${JSON.stringify(functionCall.args ?? {})}`,
      functionResponse === undefined
        ? ""
        : `${functionResponse.name} ${JSON.stringify(functionResponse.response ?? {})}`,
      executableCode?.code ?? "",
      codeExecutionResult?.output ?? "",
    ];
  });
  return [role, ...said].filter((each) => each !== "").join("\n");
}

/** https://ai.google.dev/gemini-api/docs/tokens: a tile, a second, a page. */
function tokensOf({ kind, seconds, sizeBytes = 0 }: Media): number {
  switch (kind) {
    case "image":
      return IMAGE;
    case "audio":
      return Math.ceil((seconds ?? sizeBytes / 4_000) * AUDIO_SECOND);
    case "video":
      return Math.max(1, Math.ceil(sizeBytes / 250_000)) * VIDEO_SECOND;
    case "file":
      return Math.max(1, Math.ceil(sizeBytes / 50_000)) * PAGE;
  }
}

const IMAGE = 258;
const AUDIO_SECOND = 32;
const VIDEO_SECOND = 263;
const PAGE = 258;

import type { EssentialMembers } from "#core/style.ts";

/** What a request is about; all else tunes the answer, or tells of the caller. */
export const ESSENTIAL: EssentialMembers = {
  members: new Set([
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "cachedContent",
    "continuationToken",
    "safetySettings",
    "generationConfig",
    "generationConfig.maxOutputTokens",
    "generationConfig.candidateCount",
    "generationConfig.stopSequences",
    "generationConfig.responseMimeType",
    "generationConfig.responseSchema",
    "generationConfig.responseJsonSchema",
    "generationConfig.responseModalities",
  ]),
  containers: new Set(["generationConfig"]),
};

import type { Media } from "../engine/media.ts";
import { countTokens } from "../engine/tokens.ts";
import type { Message } from "./messages.ts";

/** Input tokens of a conversation; exported for tests. */
export function countPromptTokens(
  messages: readonly Message[],
  toolsText: string,
  foundText = "",
): PromptTokens {
  const text = messages.reduce(
    (sum, message) => sum + PER_MESSAGE + countTokens(messageText(message)),
    PER_ANSWER,
  );
  const tools = (toolsText === "[]" ? 0 : countTokens(toolsText)) + countTokens(foundText);
  const media = messages.flatMap((message) => message.media);
  const images = media.filter((each) => each.kind === "image").length;
  const lowImages = messages.reduce((sum, message) => sum + message.lowDetailImages, 0);
  const image = lowImages * LOW_IMAGE + (images - lowImages) * IMAGE;
  const audio = media.reduce((sum, each) => sum + audioTokens(each), 0);
  const files = media.reduce(
    (sum, each) =>
      sum + (each.kind === "file" ? Math.min(MAX_FILE, Math.ceil((each.sizeBytes ?? 0) / 4)) : 0),
    0,
  );
  return { total: text + tools + image + audio + files, text: text + tools + files, image, audio };
}

export interface PromptTokens {
  readonly total: number;
  readonly text: number;
  readonly image: number;
  readonly audio: number;
}

/** All that is read of a message, in the order in which a cache would compare it. */
export function messageText({ role, name, text, calls }: Message): string {
  const called = calls.map((call) => `${call.name} ${call.input}`).join("\n");
  return [role, name ?? "", text, called].filter((part) => part !== "").join("\n");
}

const PER_MESSAGE = 3;
const PER_ANSWER = 3;
const LOW_IMAGE = 85;
const IMAGE = 765;
const MAX_FILE = 20_000;

function audioTokens({ kind, seconds, sizeBytes = 0 }: Media): number {
  return kind === "audio" ? Math.ceil((seconds ?? sizeBytes / 4_000) * 10) : 0;
}

import { speech } from "#styles/audio/speech.ts";
import { transcriptions, translations } from "#styles/audio/transcription.ts";
import { moderations } from "#styles/moderation/index.ts";
import { compactions } from "#styles/text/responses/conversation/compaction.ts";
import type { SharedEndpoint } from "./provider.ts";

/** Paths that nearly all servers of these formats share. */
export const SPEECH = { style: speech, path: "/audio/speech" } satisfies SharedEndpoint;
export const TRANSCRIPTIONS = {
  style: transcriptions,
  path: "/audio/transcriptions",
} satisfies SharedEndpoint;
export const TRANSLATIONS = {
  style: translations,
  path: "/audio/translations",
} satisfies SharedEndpoint;
export const MODERATIONS = {
  style: moderations,
  path: "/moderations",
} satisfies SharedEndpoint;

export const COMPACTIONS = {
  style: compactions,
  path: "/responses/compact",
} satisfies SharedEndpoint;

export const AUDIO = [SPEECH, TRANSCRIPTIONS, TRANSLATIONS] as const;

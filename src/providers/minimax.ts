import type { MinimaxDialect } from "#styles/video/minimax/dialect.ts";
import { minimaxVideo, olderMinimaxVideo } from "#styles/video/minimax/index.ts";
import { fileOf } from "#styles/video/minimax/older.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { bearer, type Provider, type VideoEndpoint } from "./provider.ts";

const HOUR_MS = 3_600_000;

const DIALECT: MinimaxDialect = {
  lengths: { min: 4, max: 15 },
  resolutions: ["768p", "2k"],
  ratios: ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"],
  seconds: 5,
  resolution: "768p",
  ratio: "16:9",
};
const OLDER: MinimaxDialect = {
  lengths: [6, 10],
  seconds: 6,
  resolutions: ["512p", "720p", "768p", "1080p"],
  resolution: "768p",
};
const OLDEST: MinimaxDialect = { ...OLDER, resolution: "720p" };

/** Variants of H3 that make no large videos and accept first and last frames only. */
const MAX: MinimaxDialect = {
  ...DIALECT,
  lengths: { min: 5, max: 15 },
  resolutions: ["480p", "768p"],
  references: false,
};

const CHAT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: true,
  reasoning: "type",
  reasoningBack: "text",
  strictTools: false,
  webSearch: false,
};
const WRITES = /^minimax-(m\d|text)/i;
const THINKS = /^minimax-m\d/i;

const COMMON = {
  maxCount: 1,
  media: { inlines: [], types: ["image/jpeg", "image/png"] },
  deadlineMs: 24 * HOUR_MS,
} satisfies Partial<VideoEndpoint>;

function older(names: RegExp, dialect: MinimaxDialect): VideoEndpoint {
  return {
    ...COMMON,
    style: olderMinimaxVideo,
    serves: (model) => names.test(model),
    path: () => "/v1/video_generation",
    poll: {
      method: "GET",
      path: ({ upstreamId }) =>
        `/v1/query/video_generation?task_id=${encodeURIComponent(upstreamId)}`,
      restOf(answer) {
        const file = fileOf(answer);
        if (file === undefined) return undefined;
        return `/v1/files/retrieve?file_id=${encodeURIComponent(file)}`;
      },
    },
    dialect: { ...dialect },
    linksLastMs: 9 * HOUR_MS,
  };
}

function newer(serves: (model: string) => boolean, dialect: MinimaxDialect): VideoEndpoint {
  return {
    ...COMMON,
    style: minimaxVideo,
    serves,
    path: () => "/v2/video_generation",
    poll: {
      method: "GET",
      path: ({ upstreamId }) => `/v2/query/video_generation/${encodeURIComponent(upstreamId)}`,
    },
    dialect: { ...dialect },
    linksLastMs: 24 * HOUR_MS,
  };
}

/**
 * Its text models are served in two styles. In the chat style, reasoning is part of the text unless
 * the request asks to split it.
 */
export const minimax: Provider = {
  id: "minimax",
  name: "MiniMax",
  docs: "https://platform.minimax.io/docs/api-reference/video-generation-intro",
  baseUrl: "https://api.minimax.io",
  keyVariable: "MINIMAX_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/v1/chat/completions",
      serves: (model) => WRITES.test(model),
      isFaithful: true,
      dialect: { ...CHAT },
      adaptRequest(body, model, report) {
        const isSaid = (body["reasoning_split"] ?? undefined) !== undefined;
        const splits = !isSaid && THINKS.test(model);
        return {
          ...adaptToDialect(body, CHAT, report),
          ...(splits ? { reasoning_split: true } : {}),
        };
      },
    },
    {
      style: messages,
      path: "/anthropic/v1/messages",
      serves: (model) => WRITES.test(model),
      isFaithful: true,
      headers: () => ({ "anthropic-version": "2023-06-01" }),
    },
  ],
  videos: [
    older(/^MiniMax-Hailuo-/i, OLDER),
    older(/^[TIS]2V-01/i, OLDEST),
    newer((model) => /^minimax-h3-max/i.test(model), MAX),
    newer((model) => !WRITES.test(model), DIALECT),
  ],
  models: [
    "MiniMax-H3",
    "MiniMax-H3-Max",
    "MiniMax-Hailuo-2.3",
    "MiniMax-Hailuo-2.3-Fast",
    "MiniMax-Hailuo-02",
    "T2V-01",
    "I2V-01",
    "S2V-01",
  ],
  authorize: bearer,
};

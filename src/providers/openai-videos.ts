import { memberOf, textOf } from "#lib/values.ts";
import type { VideoDialect } from "#styles/video/openai/dialect.ts";
import { openaiVideos } from "#styles/video/openai/index.ts";
import type { VideoEndpoint } from "./provider.ts";

const HOUR_MS = 3_600_000;
const SMALL = ["720x1280", "1280x720"];
const LARGE = [...SMALL, "1024x1792", "1792x1024", "1080x1920", "1920x1080"];

const SORA: VideoDialect = {
  lengths: [4, 8, 12],
  usualLength: 4,
  sizes: SMALL,
  usualSize: "720x1280",
  remakes: true,
  keepsFiles: true,
};

/**
 * The vendor ended these models and this API on 2026-09-24
 * (https://developers.openai.com/api/docs/models/sora-2). Gateways and compatible servers still
 * serve it, at their own addresses.
 */
export const OPENAI_VIDEOS: readonly VideoEndpoint[] = [
  row(/^sora-.*-pro/, { ...SORA, sizes: LARGE }),
  row(/^sora-/, SORA),
];

/**
 * For compatible servers: linked media are downloaded and sent inline, because few of them download
 * URLs.
 */
export const COMPATIBLE_VIDEOS: readonly VideoEndpoint[] = [
  {
    ...row(/./, { remakes: true, isOpen: true }),
    isExclusive: false,
    media: { inlines: ["image"], types: types() },
  },
];

function row(names: RegExp, dialect: VideoDialect): VideoEndpoint {
  return {
    style: openaiVideos,
    isExclusive: true,
    serves: (model) => names.test(model),
    maxCount: 1,
    path: (_model, { scenario, source }) =>
      scenario === "remix" && source !== undefined
        ? `${pathOf(source.upstreamId)}/remix`
        : "/videos",
    poll: { method: "GET", path: ({ upstreamId }) => pathOf(upstreamId) },
    content: ({ upstreamId }, variant) =>
      `${pathOf(upstreamId)}/content${variant === "video" ? "" : `?variant=${variant}`}`,
    dialect: { ...dialect },
    media: { inlines: [], types: types() },
    deadlineMs: 24 * HOUR_MS,
    linksLastMs: HOUR_MS,
    webhooks: { idIn: ({ data }) => textOf(memberOf(data, "id")) },
  };
}

function pathOf(id: string): string {
  return `/videos/${encodeURIComponent(id)}`;
}

function types(): readonly string[] {
  return ["image/jpeg", "image/png", "image/webp"];
}

import type { WanDialect } from "#styles/video/wan/dialect.ts";
import { wan } from "#styles/video/wan/index.ts";
import type { VideoEndpoint } from "./provider.ts";

/** A path relative to the address of the compatible mode, outside of it. */
const API = "/../../api/v1";
const SYNTHESIS = "/services/aigc/video-generation/video-synthesis";
const BETWEEN_FRAMES = "/services/aigc/image2video/video-synthesis";
const HOUR_MS = 3_600_000;

/** Dialect of the first generations. */
const SILENT: WanDialect = {
  from: "words",
  framedBy: "size",
  lengths: [5],
  usualLength: 5,
  usualResolution: "720p",
  sound: "never",
  promptChars: 800,
};
/** Supports only 480p and 1080p. */
const SECOND_PLUS: WanDialect = { ...SILENT, usualResolution: "1080p" };
const EFFECTS = { input: ["template"] } as const;
const FIFTH: WanDialect = {
  ...SILENT,
  lengths: [5, 10],
  sound: "on request",
  takesSound: true,
  promptChars: 2_000,
};
const SIXTH: WanDialect = {
  ...FIFTH,
  lengths: { min: 2, max: 15 },
  sound: "always",
  takes: { parameters: ["shot_type"] },
};
const SEVENTH: WanDialect = {
  from: "words",
  framedBy: "resolution and ratio",
  lengths: { min: 2, max: 15 },
  usualLength: 5,
  usualResolution: "720p",
  sound: "always",
  takesSound: true,
  promptChars: 5_000,
};

/**
 * One model for every scenario: the inputs decide. Input videos count towards its limit of 30
 * seconds.
 */
const THIRD: WanDialect = {
  ...SEVENTH,
  from: "any",
  lengths: { min: 2, max: 30 },
  sound: "on request",
  hearsVoices: true,
};

/** Starts from an image and keeps its aspect ratio. */
const PICTURE = { from: "picture", framedBy: "resolution" } as const;
const FRAMES = { from: "frames", framedBy: "resolution" } as const;
const CHANGES = {
  from: "list",
  videoAs: "video",
  takes: { parameters: ["audio_setting"] },
} as const;

export const DASHSCOPE_VIDEO_MODELS = [
  "wanx2.1-t2v-turbo",
  "wanx2.1-t2v-plus",
  "wanx2.1-i2v-turbo",
  "wanx2.1-i2v-plus",
  "wanx2.1-kf2v-plus",
  "wan2.2-t2v-plus",
  "wan2.2-i2v-plus",
  "wan2.2-i2v-flash",
  "wan2.2-kf2v-flash",
  "wan2.5-t2v-preview",
  "wan2.5-i2v-preview",
  "wan2.6-t2v",
  "wan2.6-i2v",
  "wan2.6-i2v-flash",
  "wan2.6-r2v",
  "wan2.7-t2v",
  "wan2.7-i2v",
  "wan2.7-r2v",
  "wan3.0-video",
  "wan3.0-video-prime",
];

export const DASHSCOPE_VIDEOS: readonly VideoEndpoint[] = [
  row(/^wanx?2\.[0-2].*-kf2v/, { ...SILENT, ...FRAMES, takes: EFFECTS }, BETWEEN_FRAMES),
  row(/^wanx?2\.[01].*-i2v-turbo/, { ...SILENT, ...PICTURE, lengths: [3, 4, 5], takes: EFFECTS }),
  row(/^wan2\.2-i2v-plus/, { ...SECOND_PLUS, ...PICTURE, takes: EFFECTS }),
  row(/^wanx?2\.[0-2].*-i2v/, { ...SILENT, ...PICTURE, takes: EFFECTS }),
  row(/^wanx?2\.[01].*-t2v-turbo/, { ...SILENT, lengths: [3, 4, 5] }),
  row(/^wan2\.2-t2v-plus/, SECOND_PLUS),
  row(/^wanx?2\.[0-2].*-t2v/, SILENT),
  row(/^wan2\.5.*-i2v/, { ...FIFTH, ...PICTURE, takes: EFFECTS }),
  row(/^wan2\.5.*-t2v/, FIFTH),
  row(/^wan2\.6.*-i2v-flash/, { ...SIXTH, ...PICTURE, sound: "on request" }),
  row(/^wan2\.6.*-i2v/, { ...SIXTH, ...PICTURE }),
  row(/^wan2\.6.*-t2v/, SIXTH),
  row(/^wan2\.6.*-r2v/, { ...SIXTH, from: "references", takesSound: false }),
  row(/^wan[3-9](\.\d+)?-video(?!-?edit)/, THIRD),
  row(/^wan(2\.[7-9]|[3-9]).*-i2v/, {
    ...SEVENTH,
    from: "list",
    framedBy: "resolution",
    videoAs: "first_clip",
  }),
  row(/^wan(2\.[7-9]|[3-9]).*-r2v/, { ...SEVENTH, from: "list", hearsVoices: true }),
  row(/^wan(2\.[7-9]|[3-9]).*-video-?edit/, { ...SEVENTH, ...CHANGES, takesSound: false }),
  row(/^wan(2\.[7-9]|[3-9]).*-t2v/, SEVENTH),
];

function row(names: RegExp, dialect: WanDialect, path = SYNTHESIS): VideoEndpoint {
  const task = (id: string): string => `${API}/tasks/${encodeURIComponent(id)}`;
  return {
    style: wan,
    isExclusive: true,
    serves: (model) => names.test(model),
    maxCount: 1,
    path: () => `${API}${path}`,
    // Without the second header, URLs of the vendor's own storage cannot be resolved.
    headers: { "x-dashscope-async": "enable", "x-dashscope-ossresourceresolve": "enable" },
    poll: { method: "GET", path: ({ upstreamId }) => task(upstreamId) },
    cancel: { method: "POST", path: ({ upstreamId }) => `${task(upstreamId)}/cancel` },
    dialect: { ...dialect },
    media: { inlines: [], types: ["image/jpeg", "image/png", "image/bmp", "image/webp"] },
    deadlineMs: 24 * HOUR_MS,
    linksLastMs: 24 * HOUR_MS,
  };
}

import type { TaskRef, VideoRequest, VideoScenario } from "#core/video.ts";
import { textOf } from "#lib/values.ts";
import type { ViduDialect } from "#styles/video/vidu/dialect.ts";
import { viduVideo } from "#styles/video/vidu/index.ts";
import { viduBalance } from "./balances.ts";
import type { Provider, VideoEndpoint } from "./provider.ts";

const HOUR_MS = 3_600_000;

const PATHS: Readonly<Record<VideoScenario, string>> = {
  text: "/ent/v2/text2video",
  first_frame: "/ent/v2/img2video",
  first_last: "/ent/v2/start-end2video",
  reference: "/ent/v2/reference2video",
  omni: "/ent/v2/reference2video",
  // Refused when the body is built.
  remix: "/ent/v2/text2video",
};

const NEW = {
  resolutions: ["540p", "720p", "1080p"],
  ratios: ["16:9", "9:16", "1:1", "4:3", "3:4"],
  seconds: 5,
  resolution: "720p",
  movement: false,
  style: false,
} satisfies ViduDialect;
const SECOND: ViduDialect = { ...NEW, lengths: { min: 1, max: 10 }, audio: false };
const FIRST = { ratios: ["16:9", "9:16", "1:1"], audio: false, references: false };
const EARLY: ViduDialect = {
  ...FIRST,
  seconds: 4,
  lengths: [4, 8],
  resolutions: ["360p", "720p", "1080p"],
  resolutionBySeconds: { 4: "360p", 8: "720p" },
};

/**
 * platform.vidu.com/docs/api-reference/video-models/vidu-q4-preview, 2026-10, as its clients
 * describe it: the page itself was not read. Further members are forwarded unchanged.
 */
const FOURTH: ViduDialect = {
  ...NEW,
  resolutions: ["540p", "720p", "1080p", "2k", "4k"],
  lengths: { min: 3, max: 16 },
  scenarios: ["first_frame", "reference", "omni"],
  audio: true,
  references: true,
  maxReferences: 15,
  maxSounds: 3,
  music: false,
};

const GENERATIONS: readonly (readonly [RegExp, ViduDialect])[] = [
  [/^viduq([4-9]|\d\d)/, FOURTH],
  [
    /^viduq3/,
    { ...NEW, lengths: { min: 1, max: 16 }, audio: true, references: false, music: false },
  ],
  [/^viduq2$/, { ...SECOND, references: true }],
  [/^viduq2-/, { ...SECOND, references: false }],
  [/^viduq1/, { ...FIRST, seconds: 5, resolution: "1080p", lengths: [5], resolutions: ["1080p"] }],
  [/^vidu(?:2\.0|1\.5)$/, EARLY],
];

function endpoint(dialect: ViduDialect, serves: (model: string) => boolean): VideoEndpoint {
  return {
    style: viduVideo,
    serves,
    maxCount: 1,
    path: (_model, { scenario }) => PATHS[scenario],
    poll: { method: "GET", path: (task) => `${pathOf(task)}/creations` },
    cancel: {
      method: "POST",
      path: (task) => `${pathOf(task)}/cancel`,
      body: ({ upstreamId }) => ({ id: upstreamId }),
    },
    dialect: { ...dialect },
    media: { inlines: [], types: ["image/png", "image/jpeg", "image/webp"] },
    deadlineMs: 24 * HOUR_MS,
    linksLastMs: 24 * HOUR_MS,
    // The signature covers the credential but not the body, so a webhook only triggers a poll.
    webhooks: { idIn: (body) => textOf(body["id"]) ?? textOf(body["task_id"]) },
  };
}

function pathOf({ upstreamId }: TaskRef): string {
  return `/ent/v2/tasks/${encodeURIComponent(upstreamId)}`;
}

/** Cheaper off-peak tasks may take two days. */
function withOffPeak(plain: VideoEndpoint): readonly VideoEndpoint[] {
  return [{ ...plain, answers: isOffPeak, deadlineMs: 49 * HOUR_MS }, plain];
}

function isOffPeak({ extra }: VideoRequest): boolean {
  return extra?.[viduVideo.id]?.["off_peak"] === true;
}

const KNOWN = GENERATIONS.map(([pattern, dialect]) =>
  endpoint(dialect, (model) => pattern.test(model)),
);

export const vidu: Provider = {
  id: "vidu",
  name: "Vidu",
  docs: "https://platform.vidu.com/docs/introduction",
  baseUrl: "https://api.vidu.com",
  keyVariable: "VIDU_API_KEY",
  needsKey: true,
  text: [],
  videos: [...KNOWN, endpoint({}, () => true)].flatMap(withOffPeak),
  models: [
    "viduq4-preview",
    "viduq3",
    "viduq3-turbo",
    "viduq3-pro",
    "viduq2",
    "viduq2-pro",
    "viduq2-turbo",
    "viduq2-pro-fast",
    "viduq1",
    "vidu2.0",
    "vidu1.5",
  ],
  balance: viduBalance,
  authorize: (secret) => ({ authorization: `Token ${secret}` }),
};

import type { ArkVideoDialect } from "#styles/video/ark/dialect.ts";
import { arkVideos } from "#styles/video/ark/index.ts";
import { textOf } from "#lib/values.ts";
import type { VideoEndpoint } from "./provider.ts";

const HOUR_MS = 3_600_000;
const TASKS = "/contents/generations/tasks";

const SMALL = ["480p", "720p"];
const LARGE = [...SMALL, "1080p"];

const SECOND_ONLY = ["tools", "priority"] as const;

const FIRST: ArkVideoDialect = {
  lengths: { min: 2, max: 12 },
  countsFrames: true,
  resolutions: LARGE,
  fixesCamera: true,
  refuses: [...SECOND_ONLY, "draft"],
};
const FIRST_PRO: ArkVideoDialect = { ...FIRST, usualResolution: "1080p" };
const FIRST_LITE: ArkVideoDialect = { ...FIRST, usualResolution: "720p", maxPictures: 4 };
const ONE_AND_A_HALF: ArkVideoDialect = {
  lengths: { min: 4, max: 12 },
  choosesLength: true,
  resolutions: LARGE,
  usualResolution: "720p",
  speaks: true,
  fixesCamera: true,
  refuses: SECOND_ONLY,
};
const SECOND: ArkVideoDialect = {
  lengths: { min: 4, max: 15 },
  resolutions: [...LARGE, "4k"],
  usualResolution: "720p",
  speaks: true,
  hearsWithPicturesOnly: true,
  refuses: ["service_tier", "draft"],
};
const TWO_AND_A_HALF: ArkVideoDialect = {
  lengths: { min: 4, max: 30 },
  choosesLength: true,
  resolutions: LARGE,
  usualResolution: "720p",
  speaks: true,
  fixesCamera: true,
  // Support for `tools` and `priority` is not documented: the vendor validates them.
  formats: ["mp4", "mov"],
};
/** For a custom endpoint name or a newer model: the vendor validates the request. */
const DEFAULT_DIALECT: ArkVideoDialect = {
  choosesLength: true,
  countsFrames: true,
  speaks: true,
  fixesCamera: true,
  formats: ["mp4", "mov"],
};

const TYPES = ["jpeg", "png", "webp", "bmp", "tiff", "gif"].map((type) => `image/${type}`);

export const ARK_VIDEO_MODELS = [
  "doubao-seedance-1-0-pro-250528",
  "doubao-seedance-1-0-pro-fast-251015",
  "doubao-seedance-1-0-lite-t2v-250428",
  "doubao-seedance-1-0-lite-i2v-250428",
  "doubao-seedance-1-5-pro-251215",
  "doubao-seedance-2-0-260128",
  "doubao-seedance-2-0-fast-260128",
  "doubao-seedance-2-0-mini-260615",
  "doubao-seedance-2-5-260628",
];

export const ARK_VIDEOS: readonly VideoEndpoint[] = [
  row(/seedance-1-0-lite-t2v/, { ...FIRST_LITE, isBlind: true }),
  row(/seedance-1-0-lite/, FIRST_LITE),
  row(/seedance-1-0/, FIRST_PRO),
  row(/seedance-1-5/, ONE_AND_A_HALF),
  row(/seedance-2-0-(fast|mini)/, { ...SECOND, resolutions: SMALL }),
  row(/seedance-2-0/, SECOND),
  row(/seedance-2-5/, TWO_AND_A_HALF),
  row(/seedance/, DEFAULT_DIALECT),
  // A custom endpoint name may stand for a model of any kind.
  { ...row(/^ep-/, DEFAULT_DIALECT), isExclusive: false },
];

function row(names: RegExp, dialect: ArkVideoDialect): VideoEndpoint {
  return {
    style: arkVideos,
    isExclusive: true,
    serves: (model) => names.test(model),
    maxCount: 1,
    path: () => TASKS,
    poll: { method: "GET", path: ({ upstreamId }) => `${TASKS}/${encodeURIComponent(upstreamId)}` },
    cancel: {
      method: "DELETE",
      path: ({ upstreamId }) => `${TASKS}/${encodeURIComponent(upstreamId)}`,
    },
    dialect: { ...dialect },
    media: { inlines: [], types: TYPES },
    // The longest time limit that a task may have, plus one hour.
    deadlineMs: 73 * HOUR_MS,
    linksLastMs: 24 * HOUR_MS,
    webhooks: { idIn: (body) => textOf(body["id"]) },
  };
}

import { SignJWT } from "jose";
import type { TaskRef, VideoScenario } from "#core/video.ts";
import { idOf } from "#styles/video/task-fields.ts";
import type { KlingDialect } from "#styles/video/kling/dialect.ts";
import { klingVideo } from "#styles/video/kling/index.ts";
import type { Kling3Dialect } from "#styles/video/kling3/dialect.ts";
import { kling3Video } from "#styles/video/kling3/index.ts";
import { klingBalance } from "./balances.ts";
import type { KeyPair } from "./key-pair.ts";
import { readCredential } from "./kling/credential.ts";
import { bearer, type VendorWebhookTerms, type Provider, type VideoEndpoint } from "./provider.ts";

const HOUR_MS = 3_600_000;
const TOKEN_S = 1_800;
/** Tolerance for differing clocks. */
const SKEW_S = 5;

const SIGNED: VendorWebhookTerms = {
  secretIn(credential) {
    try {
      return readCredential(credential).noticeSecret;
    } catch {
      // Without a valid credential, no signature can be verified.
      return undefined;
    }
  },
  idIn: (body) => idOf(body["task_id"] ?? body["id"]),
};

const COMMON = {
  maxCount: 1,
  media: { inlines: [], types: ["image/jpeg", "image/png"] },
  deadlineMs: 24 * HOUR_MS,
  linksLastMs: 30 * 24 * HOUR_MS,
  webhooks: SIGNED,
} satisfies Partial<VideoEndpoint>;

const SHORT = [5, 10];
const MUTE = { sound: false, isOmni: false } as const;
const OMNI: KlingDialect = { isOmni: true, negativePrompt: false, guidance: false, camera: false };
const BARE = { isOmni: false, negativePrompt: false, guidance: false, camera: false } as const;

/** The first API style, by generation. */
const FIRST_STYLE: readonly (readonly [RegExp, KlingDialect])[] = [
  [/^kling-v1(?:-\d)?$/, { ...MUTE, lengths: SHORT }],
  [/^kling-v2-(?:master|1)/, { ...MUTE, lengths: SHORT, guidance: false, camera: false }],
  [/^kling-v2-5/, { ...BARE, lengths: SHORT, sound: false }],
  [/^kling-v2-6/, { ...BARE, lengths: SHORT, sound: true, soundNeedsPro: true }],
  [/^kling-v3-omni/, { ...OMNI, lengths: { min: 3, max: 15 }, sound: true }],
  [/^kling-video-o1/, { ...OMNI, lengths: { min: 3, max: 10 } }],
  [/^kling-v3/, { ...BARE, lengths: { min: 3, max: 15 }, sound: true }],
  [/^kling-v/, {}],
];

const ALL_SIZES = ["720p", "1080p", "4k"];
const TWO_SIZES = ["720p", "1080p"];
const LONG = { min: 3, max: 15 };

/** The newer API style, by model. */
const NEWER_STYLE: readonly (readonly [RegExp, Kling3Dialect])[] = [
  [
    /^kling-3\.0-turbo/,
    {
      isOmni: false,
      resolutions: TWO_SIZES,
      lengths: LONG,
      sounds: [],
      multiShot: false,
      lastFrame: false,
    },
  ],
  [
    /^kling-3\.0-omni/,
    {
      isOmni: true,
      resolutions: ALL_SIZES,
      lengths: LONG,
      sounds: ["native", "off", "original"],
    },
  ],
  [
    /^kling-3\.0/,
    { isOmni: false, resolutions: ALL_SIZES, lengths: LONG, sounds: ["native", "off"] },
  ],
  [
    /^kling-2\.6/,
    {
      isOmni: false,
      resolutions: TWO_SIZES,
      lengths: SHORT,
      sounds: ["native", "off"],
      soundResolution: "1080p",
    },
  ],
  [/^kling-2\.5/, { isOmni: false, resolutions: TWO_SIZES, lengths: SHORT, sounds: [] }],
  [
    /^kling-o1/,
    {
      isOmni: true,
      resolutions: TWO_SIZES,
      lengths: { min: 3, max: 10 },
      frameLengths: SHORT,
      sounds: ["original", "off"],
      mixes: false,
    },
  ],
];

function firstStyle(pattern: RegExp, dialect: KlingDialect): VideoEndpoint {
  const pathFor = (scenario: VideoScenario): string => {
    if (dialect.isOmni === true) return "/v1/videos/omni-video";
    return scenario === "text" ? "/v1/videos/text2video" : "/v1/videos/image2video";
  };
  const one = ({ scenario }: TaskRef, id: string): string =>
    `${pathFor(scenario)}/${encodeURIComponent(id)}`;
  return {
    ...COMMON,
    style: klingVideo,
    serves: (model) => pattern.test(model),
    path: (_model, { scenario }) => pathFor(scenario),
    // A task can be queried only at the path that created it.
    poll: { method: "GET", path: (task) => one(task, task.upstreamId) },
    find: { method: "GET", path: (task) => one(task, task.externalId) },
    dialect: { ...dialect },
  };
}

function newerStyle(pattern: RegExp, dialect: Kling3Dialect): VideoEndpoint {
  const scenarioOf = (scenario: VideoScenario): string => {
    if (dialect.isOmni === true) return "omni-video";
    return scenario === "text" ? "text-to-video" : "image-to-video";
  };
  return {
    ...COMMON,
    style: kling3Video,
    serves: (model) => pattern.test(model),
    path: (model, { scenario }) => `/${scenarioOf(scenario)}/${encodeURIComponent(model)}`,
    poll: {
      method: "GET",
      path: ({ upstreamId }) => `/tasks?task_ids=${encodeURIComponent(upstreamId)}`,
    },
    find: {
      method: "GET",
      path: ({ externalId }) => `/tasks?external_task_ids=${encodeURIComponent(externalId)}`,
    },
    dialect: { ...dialect },
  };
}

/**
 * Two API styles, by model. A credential is an API key, or an access key pair, from which each
 * request gets a new token; the newer style accepts API keys only.
 */
export const kling: Provider = {
  id: "kling",
  name: "Kling",
  docs: "https://app.klingai.com/global/dev/document-api/quickStart/userManual",
  baseUrl: "https://api-singapore.klingai.com",
  keyVariable: "KLING_API_KEY",
  needsKey: true,
  text: [],
  videos: [
    ...FIRST_STYLE.map(([pattern, dialect]) => firstStyle(pattern, dialect)),
    ...NEWER_STYLE.map(([pattern, dialect]) => newerStyle(pattern, dialect)),
    newerStyle(/omni|^kling-o/, { isOmni: true }),
    newerStyle(/(?:)/, { isOmni: false }),
  ],
  models: [
    "kling-v1",
    "kling-v1-5",
    "kling-v1-6",
    "kling-v2-master",
    "kling-v2-1",
    "kling-v2-1-master",
    "kling-v2-5-turbo",
    "kling-v2-6",
    "kling-v3",
    "kling-v3-omni",
    "kling-video-o1",
    "kling-3.0-turbo",
    "kling-3.0",
    "kling-2.6",
    "kling-2.5-turbo",
    "kling-3.0-omni",
    "kling-o1",
  ],
  balance: klingBalance,
  authorize(secret, { at }) {
    const { key } = readCredential(secret);
    return typeof key === "string" ? bearer(key) : tokenOf(key, at).then(bearer);
  },
};

/** Created for each request, which is faster than a cache, so a token never expires in use. */
function tokenOf({ accessKey, secretKey }: KeyPair, at: number): Promise<string> {
  const now = Math.floor(at / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(accessKey)
    .setExpirationTime(now + TOKEN_S)
    .setNotBefore(now - SKEW_S)
    .sign(new TextEncoder().encode(secretKey));
}

import type { VideoRequest } from "#core/video.ts";
import { signVolcengine } from "#lib/sigv4.ts";
import type { JimengDialect } from "#styles/video/jimeng/dialect.ts";
import { jimengVideo } from "#styles/video/jimeng/index.ts";
import { keyOf } from "#styles/video/jimeng/outbound.ts";
import { keyPairIn } from "./key-pair.ts";
import { bearer, type Provider, type VideoEndpoint } from "./provider.ts";

const VERSION = "2022-08-31";
const SCOPE = { region: "cn-north-1", service: "cv" };
const HOUR_MS = 3_600_000;

const THIRD: JimengDialect = { frames: [121, 241], maxPrompt: 800, needsPrompt: true };
const SECOND: JimengDialect = { frames: [121] };

/**
 * The vendor has a model for each number of images. The first two rows combine those of one
 * resolution; the third is the shorter name of a model that takes text or an image.
 */
const MODELS: Readonly<Record<string, JimengDialect>> = {
  jimeng_v30: {
    ...THIRD,
    resolution: "720p",
    keys: { 0: "jimeng_t2v_v30", 1: "jimeng_i2v_first_v30", 2: "jimeng_i2v_first_tail_v30" },
  },
  jimeng_v30_1080p: {
    ...THIRD,
    resolution: "1080p",
    keys: {
      0: "jimeng_t2v_v30_1080p",
      1: "jimeng_i2v_first_v30_1080",
      2: "jimeng_i2v_first_tail_v30_1080",
    },
  },
  jimeng_v30_pro: { ...THIRD, keys: { 0: "jimeng_ti2v_v30_pro", 1: "jimeng_ti2v_v30_pro" } },
  ...only(0, "jimeng_t2v_v30", { ...THIRD, resolution: "720p" }),
  ...only(1, "jimeng_i2v_first_v30", { ...THIRD, resolution: "720p" }),
  ...only(2, "jimeng_i2v_first_tail_v30", { ...THIRD, resolution: "720p" }),
  ...only(0, "jimeng_t2v_v30_1080p", { ...THIRD, resolution: "1080p" }),
  ...only(1, "jimeng_i2v_first_v30_1080", { ...THIRD, resolution: "1080p" }),
  ...only(2, "jimeng_i2v_first_tail_v30_1080", { ...THIRD, resolution: "1080p" }),
  ...only(1, "jimeng_i2v_recamera_v30", { ...THIRD, camera: true }),
  jimeng_ti2v_v30_pro: { ...THIRD, keys: { 0: "jimeng_ti2v_v30_pro", 1: "jimeng_ti2v_v30_pro" } },
  ...only(0, "jimeng_vgfm_t2v_l20", SECOND),
  ...only(1, "jimeng_vgfm_i2v_l20", SECOND),
};

function only(pictures: 0 | 1 | 2, key: string, dialect: JimengDialect) {
  return { [key]: { ...dialect, keys: { [pictures]: key } } };
}

function endpoint(dialect: JimengDialect, serves: (model: string) => boolean): VideoEndpoint {
  const about: VideoEndpoint["poll"]["body"] = (task) => ({
    req_key: keyOf(task, dialect),
    task_id: task.upstreamId,
  });
  return {
    style: jimengVideo,
    serves,
    maxCount: 1,
    path: () => action("CVSync2AsyncSubmitTask"),
    poll: {
      method: "POST",
      path: () => action("CVSync2AsyncGetResult"),
      body: about,
      readsFailures: true,
    },
    cancel: { method: "POST", path: () => action("CVCancelTask"), body: about },
    dialect: { ...dialect },
    media: { inlines: [], types: ["image/jpeg", "image/png"] },
    deadlineMs: 12 * HOUR_MS,
    linksLastMs: HOUR_MS,
  };
}

/** Only the query, because a reverse proxy's address may have its own path. */
function action(name: string): string {
  return `?Action=${name}&Version=${VERSION}`;
}

/**
 * Its image list contains either only links or no links. For a mixed request, linked images are
 * sent inline, too.
 */
function withMixed(plain: VideoEndpoint): readonly VideoEndpoint[] {
  const media = { ...plain.media, inlines: ["image"] as const };
  return [{ ...plain, answers: isMixed, media }, plain];
}

function isMixed({ media }: VideoRequest): boolean {
  const links = media.filter(({ source }) => source.kind === "url");
  return links.length > 0 && links.length < media.length;
}

const KNOWN = Object.entries(MODELS).map(([id, dialect]) =>
  endpoint(dialect, (model) => model === id),
);

/**
 * Jimeng's video models, in the vendor's visual API. A credential is an access key pair, which
 * signs each request; any other credential is the API key of a gateway in between.
 */
export const jimeng: Provider = {
  id: "jimeng",
  name: "Volcengine Jimeng",
  docs: "https://www.volcengine.com/docs/85621/1792702",
  baseUrl: "https://visual.volcengineapi.com",
  keyVariable: "JIMENG_API_KEY",
  needsKey: true,
  text: [],
  videos: [...KNOWN, endpoint({}, () => true)].flatMap(withMixed),
  models: Object.keys(MODELS),
  authorize(secret, { at, ...request }) {
    const pair = keyPairIn(secret);
    if (pair === undefined) return bearer(secret);
    const { accessKey: accessKeyId, secretKey: secretAccessKey, sessionToken } = pair;
    return signVolcengine(
      request,
      { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      { ...SCOPE, at, sign: ["content-type"] },
    );
  },
};

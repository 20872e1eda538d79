import type { ChannelOptions } from "#core/channel.ts";
import type { VeoDialect } from "#styles/video/veo/dialect.ts";
import { veo } from "#styles/video/veo/index.ts";
import type { TaskPoll, VideoEndpoint } from "./provider.ts";

/** The API of one host for a maker's video models. */
interface FilmingInterface {
  path(model: string, options: ChannelOptions): string;
  readonly look: TaskPoll;
  readonly linksNeedKey?: true;
  /** The dialect of the host, for all generations. */
  readonly dialect: Partial<VeoDialect>;
  /** Models with sound can switch it off, except the fast ones. */
  readonly canBeSilent?: true;
  /** Additional dialect of the second generation. */
  readonly second: Partial<VeoDialect>;
}

const HOUR_MS = 3_600_000;

const SECOND: Partial<VeoDialect> = {
  lengths: [5, 6, 7, 8],
  resolutions: [],
  lastFrame: true,
  sound: "never",
};
const THIRD: Partial<VeoDialect> = {
  resolutions: ["720p", "1080p"],
  highOnly: { ratio: "16:9" },
  referenceLength: 8,
};
const THIRD_AND_MORE: Partial<VeoDialect> = {
  resolutions: ["720p", "1080p", "4k"],
  highOnly: { length: 8 },
  lastFrame: true,
  referenceLength: 8,
};
const LITE: Partial<VeoDialect> = { ...THIRD_AND_MORE, resolutions: ["720p", "1080p"] };

export function nativeVideos(at: FilmingInterface): readonly VideoEndpoint[] {
  const { maxCount = 1 } = at.dialect;
  const row = (names: RegExp, dialect: Partial<VeoDialect>): VideoEndpoint => ({
    style: veo,
    isExclusive: true,
    serves: (model) => names.test(model),
    maxCount,
    path: (model, _question, options) => at.path(model, options),
    poll: at.look,
    ...(at.linksNeedKey && { linksNeedKey: at.linksNeedKey }),
    dialect: { ...at.dialect, ...dialect },
    media: { inlines: ["image", "video"], types: ["image/png", "image/jpeg"] },
    deadlineMs: 24 * HOUR_MS,
    linksLastMs: 48 * HOUR_MS,
  });
  const speaking: Partial<VeoDialect> = { sound: at.canBeSilent ? "on request" : "always" };
  return [
    row(/^veo-2/, { ...SECOND, ...at.second }),
    row(/^veo-3\.0-fast/, { ...THIRD, sound: "always" }),
    row(/^veo-3\.0/, { ...THIRD, ...speaking }),
    row(/^veo-3\.1-fast/, { ...THIRD_AND_MORE, sound: "always" }),
    row(/^veo-3\.1-lite/, { ...LITE, ...speaking }),
    row(/^veo-/, { ...THIRD_AND_MORE, ...speaking }),
  ];
}

/** A model that films: https://help.aliyun.com/zh/model-studio/use-video-generation */
export interface WanModel {
  readonly id: string;
  readonly generation: Generation;
  /** The inputs that the video is made from. */
  readonly from: "words" | "picture" | "frames" | "references" | "media" | "any";
  /** The types of media that it takes, where it is given a list of them. */
  readonly media: readonly MediaType[];
  readonly framedBy: "size" | "resolution" | "resolution and ratio";
  readonly seconds: readonly number[];
  readonly sound: "never" | "on request" | "always";
  /** Longer texts are truncated. */
  readonly promptChars: number;
}

type Generation = "2.1" | "2.2" | "2.5" | "2.6" | "2.7" | "3.0";

export const MEDIA_TYPES = [
  "first_frame",
  "last_frame",
  "first_clip",
  "driving_audio",
  "reference_image",
  "reference_video",
  "video",
] as const;
type MediaType = (typeof MEDIA_TYPES)[number];

export function findWan(id: string): WanModel | undefined {
  return WAN_MODELS.find((model) => model.id === id);
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

type Family = Omit<WanModel, "id" | "from" | "framedBy">;

const FIRST: Family = {
  generation: "2.1",
  media: [],
  seconds: [5],
  sound: "never",
  promptChars: 800,
};
const TURBO: Family = { ...FIRST, seconds: [3, 4, 5] };
const SECOND: Family = { ...FIRST, generation: "2.2" };
const FIFTH: Family = {
  ...FIRST,
  generation: "2.5",
  seconds: [5, 10],
  sound: "on request",
  promptChars: 2_000,
};
const SIXTH: Family = { ...FIFTH, generation: "2.6", seconds: range(2, 15), sound: "always" };
const SEVENTH: Family = { ...SIXTH, generation: "2.7", promptChars: 5_000 };

const WORDS = { from: "words", framedBy: "size" } as const;
const PICTURE = { from: "picture", framedBy: "resolution" } as const;
const FRAMES = { from: "frames", framedBy: "resolution" } as const;

/** One id for every mode. */
const THIRD: Omit<WanModel, "id"> = {
  ...SEVENTH,
  generation: "3.0",
  from: "any",
  framedBy: "resolution and ratio",
  seconds: range(2, 30),
  sound: "on request",
  media: ["first_frame", "last_frame", "reference_image", "reference_video", "driving_audio"],
};

export const WAN_MODELS: readonly WanModel[] = [
  { id: "wanx2.1-t2v-turbo", ...TURBO, ...WORDS },
  { id: "wanx2.1-t2v-plus", ...FIRST, ...WORDS },
  { id: "wanx2.1-i2v-turbo", ...TURBO, ...PICTURE },
  { id: "wanx2.1-i2v-plus", ...FIRST, ...PICTURE },
  { id: "wanx2.1-kf2v-plus", ...FIRST, ...FRAMES },
  { id: "wan2.2-t2v-plus", ...SECOND, ...WORDS },
  { id: "wan2.2-i2v-plus", ...SECOND, ...PICTURE },
  { id: "wan2.2-i2v-flash", ...SECOND, ...PICTURE },
  { id: "wan2.2-kf2v-flash", ...SECOND, ...FRAMES },
  { id: "wan2.5-t2v-preview", ...FIFTH, ...WORDS },
  { id: "wan2.5-i2v-preview", ...FIFTH, ...PICTURE },
  { id: "wan2.6-t2v", ...SIXTH, ...WORDS },
  { id: "wan2.6-i2v", ...SIXTH, ...PICTURE },
  { id: "wan2.6-i2v-flash", ...SIXTH, ...PICTURE, sound: "on request" },
  { id: "wan2.6-r2v", ...SIXTH, from: "references", framedBy: "size" },
  { id: "wan2.7-t2v", ...SEVENTH, from: "words", framedBy: "resolution and ratio" },
  {
    id: "wan2.7-i2v",
    ...SEVENTH,
    from: "media",
    framedBy: "resolution",
    media: ["first_frame", "last_frame", "first_clip", "driving_audio"],
  },
  {
    id: "wan2.7-r2v",
    ...SEVENTH,
    from: "media",
    framedBy: "resolution and ratio",
    media: ["reference_image", "reference_video", "first_frame"],
  },
  {
    id: "wan2.7-videoedit",
    ...SEVENTH,
    from: "media",
    framedBy: "resolution and ratio",
    media: ["video", "reference_image"],
  },
  { id: "wan3.0-video", ...THIRD },
  { id: "wan3.0-video-prime", ...THIRD },
];

/** The resolutions and their sizes, the usual shape first. */
export const TIERS: readonly Tier[] = [
  { lines: 480, sizes: ["832*480", "480*832", "624*624"] },
  { lines: 720, sizes: ["1280*720", "720*1280", "960*960", "1088*832", "832*1088"] },
  { lines: 1080, sizes: ["1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632"] },
];

export interface Tier {
  readonly lines: number;
  readonly sizes: readonly [string, ...string[]];
}

/** In the order of the sizes. */
export const RATIOS: readonly string[] = ["16:9", "9:16", "1:1", "4:3", "3:4"];

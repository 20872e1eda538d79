import { arkImages } from "#styles/image/ark/index.ts";
import type { ArkDialect } from "#styles/image/ark/dialect.ts";
import type { ImageEndpoint } from "./provider.ts";

const SMALL = "1024x1024 1152x864 864x1152 1280x720 720x1280 1248x832 832x1248 1512x648".split(" ");
const LARGE = [
  "2048x2048 2304x1728 1728x2304 2560x1440 1440x2560 2496x1664 1664x2496 3024x1296",
  "4096x4096 4704x3520 3520x4704 5504x3040 3040x5504 4992x3328 3328x4992 6240x2656",
].flatMap((line) => line.split(" "));

/** The vendor accepts more; it promises to combine at most five. */
const FUSION = { min: 0, max: 5 };

const SEEDREAM_3: ArkDialect = {
  pictures: { min: 0, max: 0 },
  sizes: { oneOf: SMALL },
  isSteered: true,
};
const SEEDEDIT: ArkDialect = {
  pictures: { min: 1, max: 1 },
  sizes: { oneOf: ["adaptive"] },
  isSteered: true,
};
const SEEDREAM_4: ArkDialect = {
  pictures: FUSION,
  sizes: { oneOf: ["1K", "2K", "4K", ...LARGE] },
  drawsSets: true,
  rewriteModes: ["standard", "fast"],
};
const SEEDREAM_4_5: ArkDialect = {
  ...SEEDREAM_4,
  sizes: { oneOf: ["2K", "4K", ...LARGE] },
  rewriteModes: ["standard"],
};
const SEEDREAM_5: ArkDialect = {
  ...SEEDREAM_4_5,
  sizes: { oneOf: ["2K", "3K"], area: { min: 3_686_400, max: 10_404_496 } },
  formats: ["png", "jpeg"],
};
/** For a custom endpoint name, which may stand for any model: the vendor validates the request. */
const DEFAULT_DIALECT: ArkDialect = {
  ...SEEDREAM_4,
  sizes: { oneOf: ["adaptive", "1K", "2K", "3K", "4K"], area: { min: 1, max: 16_777_216 } },
  isSteered: true,
};

const FEW_TYPES = ["image/jpeg", "image/png"];
const TYPES = [...FEW_TYPES, "image/webp", "image/bmp", "image/tiff", "image/gif"];

export const ARK_IMAGES: readonly ImageEndpoint[] = [
  row(/seededit/, SEEDEDIT, FEW_TYPES),
  row(/seedream-3/, SEEDREAM_3, FEW_TYPES),
  row(/seedream-4-0/, SEEDREAM_4, TYPES),
  row(/seedream-4-5/, SEEDREAM_4_5, TYPES),
  row(/seedream-[5-9]/, SEEDREAM_5, TYPES),
  { ...row(/^ep-/, DEFAULT_DIALECT, FEW_TYPES), isExclusive: false },
];

/**
 * The prompt decides how many images a group has, so several unrelated images need several
 * requests.
 */
function row(names: RegExp, dialect: ArkDialect, types: readonly string[]): ImageEndpoint {
  return {
    style: arkImages,
    isExclusive: true,
    path: "/images/generations",
    serves: (model) => names.test(model),
    answers: ({ task }) => task !== "vary",
    maxInputs: 1,
    dialect: { ...dialect },
    pictures: { inlines: false, types },
  };
}

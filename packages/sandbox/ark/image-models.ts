/** A model that draws. The table is the vendor's: https://www.volcengine.com/docs/82379/1541523 */
export interface ImageModel {
  readonly id: string;
  readonly owner: string;
  /** How many pictures it has to be given, and how many it can be. */
  readonly given: { readonly min: number; readonly max: number };
  readonly sizes: SizeRule;
  /** Follows a seed and a guidance scale, the usual one. */
  readonly guidance?: number;
  /** Draws sets, and streams them. */
  readonly drawsSets: boolean;
  /** The ways in which it rewrites a prompt. */
  readonly optimizes: readonly string[];
}

export type SizeRule =
  | { readonly kind: "sides"; readonly usual: string; readonly min: number; readonly max: number }
  /** The shape of the given image. */
  | { readonly kind: "adaptive" }
  | {
      readonly kind: "area";
      readonly usual: string;
      readonly names: readonly string[];
      readonly min: number;
      readonly max: number;
    };

export function findImageModel(id: string): ImageModel | undefined {
  return IMAGE_MODELS.find((model) => model.id === id);
}

const FOURTH = {
  owner: "system",
  given: { min: 0, max: 14 },
  drawsSets: true,
} as const;

export const IMAGE_MODELS: readonly ImageModel[] = [
  {
    id: "doubao-seedream-3-0-t2i-250415",
    owner: "system",
    given: { min: 0, max: 0 },
    sizes: { kind: "sides", usual: "1024x1024", min: 512, max: 2_048 },
    guidance: 2.5,
    drawsSets: false,
    optimizes: [],
  },
  {
    id: "doubao-seededit-3-0-i2i-250628",
    owner: "system",
    given: { min: 1, max: 1 },
    sizes: { kind: "adaptive" },
    guidance: 5.5,
    drawsSets: false,
    optimizes: [],
  },
  {
    ...FOURTH,
    id: "doubao-seedream-4-0-250828",
    sizes: {
      kind: "area",
      usual: "2048x2048",
      names: ["1K", "2K", "4K"],
      min: 921_600,
      max: 16_777_216,
    },
    optimizes: ["standard", "fast"],
  },
  {
    ...FOURTH,
    id: "doubao-seedream-4-5-251128",
    sizes: {
      kind: "area",
      usual: "2048x2048",
      names: ["2K", "4K"],
      min: 3_686_400,
      max: 16_777_216,
    },
    optimizes: ["standard"],
  },
];

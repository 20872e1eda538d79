import type { Measures } from "../engine/given-image.ts";

/** A model that draws, or edits: https://help.aliyun.com/zh/model-studio/qwen-image-api */
export interface ImageModel {
  readonly id: string;
  readonly owner: string;
  /** How many pictures it has to be given, and how many it can be. */
  readonly given: { readonly min: number; readonly max: number };
  readonly maxCount: number;
  /** None for a model that has no such parameter. */
  readonly sizes: SizeRule | undefined;
}

type SizeRule =
  /** The usual one first. */
  | { readonly kind: "listed"; readonly list: readonly [Measures, ...Measures[]] }
  | { readonly kind: "sides"; readonly min: number; readonly max: number };

export function findImageModel(id: string): ImageModel | undefined {
  return IMAGE_MODELS.find((model) => model.id === id);
}

const SQUARE: Measures = { width: 1_328, height: 1_328 };
const WIDE: Measures = { width: 1_664, height: 928 };
const OTHERS: readonly Measures[] = [
  { width: 1_472, height: 1_140 },
  { width: 1_472, height: 1_104 },
  { width: 1_140, height: 1_472 },
  { width: 1_104, height: 1_472 },
  { width: 928, height: 1_664 },
];

function drawer(id: string, list: readonly [Measures, ...Measures[]]): ImageModel {
  const sizes: SizeRule = { kind: "listed", list };
  return { id, owner: "system", given: { min: 0, max: 0 }, maxCount: 1, sizes };
}

function editor(id: string, maxCount: number, sizes: SizeRule | undefined): ImageModel {
  return { id, owner: "system", given: { min: 1, max: 3 }, maxCount, sizes };
}

const FREE: SizeRule = { kind: "sides", min: 512, max: 2_048 };

export const IMAGE_MODELS: readonly ImageModel[] = [
  drawer("qwen-image", [SQUARE, WIDE, ...OTHERS]),
  drawer("qwen-image-plus", [WIDE, SQUARE, ...OTHERS]),
  drawer("qwen-image-max", [WIDE, SQUARE, ...OTHERS]),
  editor("qwen-image-edit", 1, undefined),
  editor("qwen-image-edit-plus", 6, FREE),
  editor("qwen-image-edit-max", 6, FREE),
];

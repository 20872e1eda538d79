import type { Media } from "@sluice/sandbox/engine/media.ts";
import { countTokens } from "@sluice/sandbox/engine/tokens.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { PictureRequest } from "./request.ts";

/** For one picture, or for all of a request; what is given is counted once. */
export function pictureUsage(request: PictureRequest, made: number, partials: number): JsonObject {
  const text = countTokens(request.prompt);
  const seen = [...request.given, ...(request.mask === undefined ? [] : [request.mask])];
  const image = seen.reduce((sum, { media }) => sum + givenTokens(media, request.fidelity), 0);
  const drawn = made * madeTokens(request) + partials * PARTIAL_TOKENS;
  const planned = request.model.plans ? made * (PLAN_TOKENS + text) : 0;
  return {
    input_tokens: text + image,
    input_tokens_details: { image_tokens: image, text_tokens: text },
    output_tokens: drawn + planned,
    output_tokens_details: { image_tokens: drawn, text_tokens: planned },
    total_tokens: text + image + drawn + planned,
  };
}

const PARTIAL_TOKENS = 100;
const PLAN_TOKENS = 150;

export function madeTokens({ size, quality }: PictureRequest): number {
  const [square = 0, tall = 0, wide = 0] = MADE[quality] ?? [];
  const { width, height } = size;
  if (width === 1_024 && height === 1_536) return tall;
  if (width === 1_536 && height === 1_024) return wide;
  return Math.round((square * width * height) / 1_024 ** 2);
}

/** For a square, an upright and a lying picture. */
const MADE: Readonly<Record<string, readonly number[]>> = {
  low: [272, 408, 400],
  medium: [1_056, 1_584, 1_568],
  high: [4_160, 6_240, 6_208],
};

/** By the tiles of a picture whose shorter side is made to fit one; a link is taken for one tile. */
function givenTokens({ widthPixels = 1, heightPixels = 1 }: Media, fidelity: string): number {
  const shrunk = Math.min(1, MAX_SIDE / Math.max(widthPixels, heightPixels));
  const short = Math.min(widthPixels, heightPixels) * shrunk;
  const scale = shrunk * Math.min(1, TILE / short);
  const tiles = Math.ceil((widthPixels * scale) / TILE) * Math.ceil((heightPixels * scale) / TILE);
  const isSquare = widthPixels === heightPixels;
  const detail = fidelity === "high" ? (isSquare ? 4_160 : 6_240) : 0;
  return BASE_TOKENS + TILE_TOKENS * tiles + detail;
}

const MAX_SIDE = 2_048;
const TILE = 512;
const BASE_TOKENS = 65;
const TILE_TOKENS = 129;

import type { ChannelOptions } from "#core/channel.ts";
import { RATIOS, type PictureDialect } from "#styles/image/gemini/dialect.ts";
import { generateContent } from "#styles/image/gemini/index.ts";
import type { ImagenDialect } from "#styles/image/imagen/dialect.ts";
import { predict } from "#styles/image/imagen/index.ts";
import type { ImageEndpoint } from "./provider.ts";

/** The API by which image models are called. */
interface DrawingInterface {
  path(model: string, verb: string, options: ChannelOptions): string;
  readonly native: Partial<PictureDialect>;
  readonly imagen: Pick<ImagenDialect, "sizeMember" | "takesMore">;
}

const TYPES = ["image/png", "image/jpeg", "image/webp"];
const SIZES = ["1K", "2K", "4K"];

/** The second generation has one size. */
const SECOND: Partial<PictureDialect> = { ratios: RATIOS, sizes: [] };
const THIRD: Partial<PictureDialect> = { ratios: RATIOS, sizes: SIZES, provesTurns: true };
const THIRD_FLASH: Partial<PictureDialect> = {
  ...THIRD,
  ratios: [...RATIOS, "1:4", "4:1", "1:8", "8:1"],
  sizes: ["512", ...SIZES],
};

/** Models that serve image requests only. */
export function onlyDraws(model: string): boolean {
  return model.startsWith("imagen-");
}

/** The image models of one maker, at one of the two hosts that serve them. */
export function nativePictures(at: DrawingInterface): readonly ImageEndpoint[] {
  const native = (dialect: Partial<PictureDialect>, names: RegExp): ImageEndpoint => ({
    style: generateContent,
    path: (model, _stream, options) => at.path(model, "generateContent", options),
    serves: (model) => names.test(model),
    answers: ({ task }) => task !== "vary",
    maxInputs: 1,
    pictures: { inlines: true, types: TYPES },
    format: "png",
    dialect: { ...dialect, ...at.native },
  });
  const imagen = (sizes: readonly string[], names: RegExp): ImageEndpoint => ({
    style: predict,
    isExclusive: true,
    path: (model, _stream, options) => at.path(model, "predict", options),
    serves: (model) => names.test(model),
    answers: ({ task }) => task !== "vary",
    maxInputs: 4,
    pictures: { inlines: false, types: TYPES },
    format: "png",
    dialect: { ...at.imagen, sizes },
  });
  return [
    native(SECOND, /^gemini-2.*-image/),
    native(THIRD_FLASH, /^gemini-(3\.1-flash.*-image|nano-banana-[2-9])/),
    native(THIRD, /^(gemini-.*-image|(gemini-)?nano-banana)/),
    imagen([], /^imagen-(3|.*-fast)/),
    imagen(["1K", "2K"], /^imagen-/),
  ];
}

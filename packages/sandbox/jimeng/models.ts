/** The model of a `req_key`. */
export interface JimengModel {
  readonly resolution: "720p" | "1080p";
  /** How many pictures it has to be given, and how many it can be. */
  readonly pictures: readonly [least: number, most: number];
  /** Which lengths it makes, in frames. */
  readonly frames: readonly number[];
  /** The camera moves by a template. */
  readonly hasTemplates: boolean;
}

export function findJimeng(reqKey: string): JimengModel | undefined {
  return Object.hasOwn(MODELS, reqKey) ? MODELS[reqKey] : undefined;
}

const SHORT = [121];
const words: JimengModel = {
  resolution: "720p",
  pictures: [0, 0],
  frames: [121, 241],
  hasTemplates: false,
};
const first: JimengModel = { ...words, pictures: [1, 1] };
const both: JimengModel = { ...words, pictures: [2, 2] };

/** The ends of the names are the vendor's: "1080p" for words, "1080" for pictures. */
const MODELS: Readonly<Record<string, JimengModel>> = {
  jimeng_vgfm_t2v_l20: { ...words, frames: SHORT },
  jimeng_vgfm_i2v_l20: { ...first, frames: SHORT },
  jimeng_t2v_v30: words,
  jimeng_t2v_v30_1080p: { ...words, resolution: "1080p" },
  jimeng_i2v_first_v30: first,
  jimeng_i2v_first_v30_1080: { ...first, resolution: "1080p" },
  jimeng_i2v_first_tail_v30: both,
  jimeng_i2v_first_tail_v30_1080: { ...both, resolution: "1080p" },
  jimeng_i2v_recamera_v30: { ...first, hasTemplates: true },
  jimeng_ti2v_v30_pro: { ...words, resolution: "1080p", pictures: [0, 1] },
};

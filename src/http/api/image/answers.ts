import { z } from "zod";

export const IMAGES = z
  .looseObject({
    created: z.int(),
    data: z.array(
      z.looseObject({
        url: z.string().optional(),
        b64_json: z.string().optional(),
        revised_prompt: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "Images" });

/** Which of the two shapes it has is a setting, and a header of the request. */
export const IMAGES_IN_EITHER_SHAPE = z.union([
  z
    .looseObject({
      code: z.literal(200),
      msg: z.string(),
      data: z.looseObject({
        created: z.int(),
        data: z.array(
          z.looseObject({ url: z.string(), b64_json: z.string(), revised_prompt: z.string() }),
        ),
      }),
    })
    .meta({ id: "WrappedImages" }),
  IMAGES,
]);

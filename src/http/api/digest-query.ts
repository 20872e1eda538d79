import { z } from "zod";

const DIGEST = /^[0-9a-f]{64}$/;

/** The plan that an owner has seen. */
export const DIGEST_QUERY = z.object({
  plan: z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (!DIGEST.test(given)) context.addIssue("must be the digest of a plan");
      return given;
    })
    .meta({ description: "Digest of the plan to apply." }),
});

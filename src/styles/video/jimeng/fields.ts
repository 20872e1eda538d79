import { integer, list, object, text, type ObjectRule } from "#lib/rules.ts";

/** More than any model accepts. */
const MAX_PICTURES = 16;
const MAX_SEED = 2_147_483_647;
const PICTURE = text({ minLength: 1, doc: "A link, a data URI, or base64." });

export const REQUEST: ObjectRule = object({
  "req_key!": text({ minLength: 1, maxLength: 512, doc: "The model." }),
  prompt: text(),
  image: text({ doc: "A link, a data URI, or base64." }),
  image_urls: list(PICTURE, MAX_PICTURES),
  binary_data_base64: list(PICTURE, MAX_PICTURES),
  seed: integer(-1, MAX_SEED, "-1 for any."),
  aspect_ratio: text(),
  frames: integer(1, 10_000, "24 for each second, and one."),
  callback_url: text(),
});

export const QUERY: ObjectRule = object({
  "req_key!": text({ minLength: 1, maxLength: 512, doc: "The model that it was asked of." }),
  "task_id!": text({ minLength: 1, maxLength: 256 }),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());

import { flag, integer, list, object, text, type ObjectRule } from "#lib/rules.ts";

const MAX_PICTURES = 16;
const MAX_SEED = 2_147_483_647;
/** Maximum length of the data that a task keeps for its client. */
const MAX_PAYLOAD_CHARS = 2_048;

export const ACTIONS = ["text", "generate", "first_tail", "reference"] as const;

export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  prompt: text(),
  images: list(text({ minLength: 1, doc: "A link, a data URI, or base64." }), MAX_PICTURES),
  duration: integer(1, 3_600, "Seconds."),
  seed: integer(0, MAX_SEED, "0 for any."),
  aspect_ratio: text(),
  resolution: text({ oneOf: ["360P", "540P", "720P", "1080P"], anyCase: true }),
  movement_amplitude: text({ oneOf: ["auto", "small", "medium", "large"] }),
  bgm: flag("Music under it."),
  audio: flag("Sound of its own."),
  watermark: flag(),
  payload: text({ maxLength: MAX_PAYLOAD_CHARS, doc: "Given back as it came." }),
  callback_url: text(),
  metadata: object({
    action: text({
      oneOf: ACTIONS,
      doc: "What the pictures are for; by their number where nothing is said.",
    }),
  }),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());

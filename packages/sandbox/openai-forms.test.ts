import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "../../test/seed.ts";
import { paint } from "./engine/picture.ts";
import { encodeSound } from "./engine/sound/encode-sound.ts";
import { letterTones } from "./engine/sound/letter-tones.ts";
import { openai } from "./openai.ts";
import { openVendor } from "./testing/vendors.ts";
import type { Form, FormPart } from "./wire/form.ts";

const file = (name: string, bytes: Uint8Array): FormPart => ({ name, file: { name, bytes } });
const text = (name: string, value: string): FormPart => ({ name, text: value });

const PICTURE = paint(16, 16, "given");
const SOUND = encodeSound(letterTones("Hello there", 220, 1), "mp3", "Hello there");
const MASK = paint(16, 16, "given", "transparent");

const FORMS: readonly (readonly [string, readonly FormPart[]])[] = [
  [
    "/v1/images/edits",
    [
      file("image[]", PICTURE),
      file("image[]", PICTURE),
      file("mask", MASK),
      text("model", "gpt-image-1.5"),
      text("prompt", "Make it red"),
      text("size", "1024x1024"),
      text("n", "2"),
      text("quality", "low"),
      text("stream", "true"),
      text("partial_images", "1"),
      text("input_fidelity", "low"),
    ],
  ],
  [
    "/v1/images/variations",
    [file("image", PICTURE), text("size", "1024x1024"), text("response_format", "b64_json")],
  ],
  [
    "/v1/audio/transcriptions",
    [
      file("file", SOUND),
      text("model", "whisper-1"),
      text("language", "de"),
      text("prompt", "Hello"),
      text("response_format", "verbose_json"),
      text("temperature", "0.5"),
      text("timestamp_granularities[]", "word"),
      text("timestamp_granularities[]", "segment"),
      text("chunking_strategy", '{"type":"server_vad","threshold":0.5}'),
    ],
  ],
  [
    "/v1/audio/transcriptions",
    [
      file("file", SOUND),
      text("model", "gpt-4o-transcribe-diarize"),
      text("response_format", "diarized_json"),
      text("stream", "true"),
      text("chunking_strategy", "auto"),
      text("known_speaker_names[]", "Ann"),
      text("known_speaker_references[]", "data:audio/wav;base64,UklGRg=="),
    ],
  ],
  ["/v1/audio/translations", [file("file", SOUND), text("model", "whisper-1")]],
];

const VENDOR = openVendor(openai);

async function answer(path: string, parts: readonly FormPart[]): Promise<number> {
  const texts = parts.flatMap((part) => ("text" in part ? [[part.name, part.text]] : []));
  const form: Form = { parts, texts: Object.fromEntries(texts) };
  VENDOR.lastUserText(form.texts);
  const reply = await VENDOR.reply({
    method: "POST",
    path,
    query: new URLSearchParams(),
    headers: { authorization: "Bearer x", "content-type": "multipart/form-data; boundary=x" },
    bytes: new Uint8Array(),
    body: undefined,
    form,
    faults: {},
  });
  if (reply.body.kind === "events") expect([...reply.body.frames].length).toBeGreaterThan(0);
  return reply.status;
}

test.each(FORMS)("%s: the original form is valid", async (path, parts) => {
  expect(await answer(path, parts)).toBe(200);
});

const bent = fc.oneof(
  fc.constantFrom("", "[]", "{}", "0", "-1", "1e9", "true", "null", "__proto__"),
  fc.string({ maxLength: 8 }),
);
const damage = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("text", "file", "name", "missing", "twice"),
  value: bent,
  bytes: fc.uint8Array({ maxLength: 40 }),
});

test.each(FORMS)(
  "%s: a form with any value replaced gets the vendor's error or a response",
  async (path, parts) => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, how, value, bytes }) => {
        const index = at % parts.length;
        const other = parts.flatMap((part, each): FormPart[] => {
          if (each !== index) return [part];
          if (how === "missing") return [];
          if (how === "twice") return [part, part];
          if (how === "name") return [{ ...part, name: value }];
          return [how === "text" ? text(part.name, value) : file(part.name, bytes)];
        });
        expect(await answer(path, other)).toBeLessThan(500);
      }),
      { seed: SEED, numRuns: times(40, 5_000) },
    );
  },
);

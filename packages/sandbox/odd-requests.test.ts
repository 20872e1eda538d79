import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "../../test/seed.ts";
import { ark } from "./ark.ts";
import { dashscope } from "./dashscope.ts";
import { gemini } from "./gemini.ts";
import { jimeng } from "./jimeng.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts";
import { kling } from "./kling.ts";
import { minimax } from "./minimax.ts";
import { openai } from "./openai.ts";
import { WEATHER, ask } from "./testing/chat.ts";
import { signedHeaders } from "./testing/jimeng.ts";
import { pngUrl } from "./testing/pictures.ts";
import { WEATHER_TOOL, prompt } from "./testing/responses.ts";
import { openVendor } from "./testing/vendors.ts";
import type { Vendor, VendorFactory } from "./vendor.ts";
import { vidu } from "./vidu.ts";
import { faultyFrames } from "./faults/broken-bodies.ts";

/** Requests with something in every place that is read. */
const image = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFN";
const RESPONSE = prompt(
  [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "Search for the weather in Paris" },
        { type: "input_image", image_url: image, detail: "low" },
        { type: "input_file", filename: "a.txt", file_data: "aGk=" },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "c", name: "get_weather", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "x" }] },
    { role: "assistant", content: [{ type: "output_text", text: "ok", annotations: [] }] },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
    { role: "user", content: "Weather in Rome" },
  ],
  {
    model: "gpt-5.1",
    instructions: "Be brief.",
    stream: true,
    stream_options: { include_obfuscation: true },
    max_output_tokens: 40,
    temperature: 1,
    reasoning: { effort: "low", summary: "auto" },
    text: { format: { type: "json_schema", name: "x", schema: { type: "object" } } },
    tools: [
      WEATHER_TOOL,
      { type: "web_search", user_location: { type: "approximate" }, filters: {} },
      { type: "custom", name: "pad", format: { type: "text" } },
    ],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ name: "pad" }] },
    include: ["reasoning.encrypted_content"],
    metadata: { a: "b" },
    truncation: "auto",
  },
);
const CHAT = ask("", {
  messages: [
    { role: "system", content: [{ type: "text", text: "Answer in json." }] },
    {
      role: "user",
      content: [
        { type: "text", text: "Hi" },
        { type: "image_url", image_url: { url: image } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "x" },
    { role: "user", content: "Weather in Rome" },
  ],
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 40,
  temperature: 0.5,
  top_p: 0.9,
  stop: ["x"],
  response_format: { type: "text" },
  tools: [WEATHER],
  tool_choice: "auto",
});

/** Members that one vendor refuses and others know. */
const CHAT_OF_OTHERS: JsonObject = {
  ...CHAT,
  thinking: { type: "disabled" },
  enable_thinking: true,
  thinking_budget: 20,
  enable_search: true,
  search_options: { forced_search: true },
};

const VIDEO: JsonObject = {
  model: "doubao-seedance-2-0-260128",
  content: [
    { type: "text", text: "a cat" },
    { type: "image_url", image_url: { url: "https://a.example/b.png" }, role: "reference_image" },
    { type: "video_url", video_url: { url: "https://a.example" }, role: "reference_video" },
    { type: "audio_url", audio_url: { url: "https://a.example" }, role: "reference_audio" },
  ],
  resolution: "480p",
  ratio: "16:9",
  duration: 4,
  seed: 1,
  camera_fixed: false,
  watermark: false,
  generate_audio: false,
  return_last_frame: true,
  service_tier: "default",
  execution_expires_after: 3_600,
  draft: false,
  tools: [{ type: "web_search" }],
  priority: 1,
  safety_identifier: "u",
  output_format: "mp4",
};

const KLING_V1: JsonObject = {
  model_name: "kling-v1",
  prompt: "a cat",
  negative_prompt: "dogs",
  cfg_scale: 0.5,
  mode: "pro",
  image: "https://a.example",
  dynamic_masks: [
    {
      mask: "https://a.example",
      trajectories: [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    },
  ],
  duration: "5",
  sound: "off",
  watermark_info: { enabled: true },
  external_task_id: "",
};
const KLING_SHOTS: JsonObject = {
  model_name: "kling-v3",
  multi_shot: true,
  shot_type: "customize",
  multi_prompt: [{ index: 1, prompt: "a cat", duration: "5" }],
  element_list: [{ element_id: 1 }],
  voice_list: [{ voice_id: "a" }],
};
const KLING_OMNI_V1: JsonObject = {
  model_name: "kling-v3-omni",
  prompt: "<<<image_1>>> and <<<video_1>>>",
  image_list: [{ image_url: "https://a.example", type: "first_frame" }],
  video_list: [{ video_url: "https://a.example", refer_type: "base", keep_original_sound: "no" }],
};
const KLING_OMNI: JsonObject = {
  contents: [
    { type: "prompt", text: "a cat" },
    { type: "first_frame", url: "https://a.example" },
    { type: "refer_image", url: "https://a.example", id: "a" },
    { type: "feature_video", url: "https://a.example" },
    { type: "element", element_id: "1" },
  ],
  settings: {
    resolution: "1080p",
    aspect_ratio: "1:1",
    duration: 3,
    audio: "off",
    multi_shot: true,
  },
  options: { external_task_id: "", watermark_info: { enabled: false } },
};

const VIDU: JsonObject = {
  model: "viduq3",
  prompt: "a cat",
  images: ["https://a.example", "https://b.example"],
  subjects: [{ id: "a", images: ["https://a.example"], voice_id: "v" }],
  duration: 5,
  seed: 1,
  aspect_ratio: "16:9",
  resolution: "720p",
  movement_amplitude: "auto",
  bgm: false,
  audio: true,
  payload: "p",
  off_peak: false,
  watermark: true,
  wm_position: 1,
  meta_data: "m",
};
const SORA: JsonObject = {
  model: "sora-2-pro",
  prompt: "a cat",
  seconds: "8",
  size: "1792x1024",
  input_reference: { image_url: "https://a.example/a.png" },
};
const BASE64 = pngUrl(400, 400).split(",")[1] ?? "";
const FRAME: JsonObject = { bytesBase64Encoded: BASE64, mimeType: "image/png" };
const VEO: JsonObject = {
  instances: [{ prompt: "a cat", image: FRAME, lastFrame: FRAME }],
  parameters: {
    aspectRatio: "9:16",
    resolution: "1080p",
    durationSeconds: 8,
    negativePrompt: "dogs",
    personGeneration: "allow_adult",
    sampleCount: 1,
    seed: 7,
  },
};
const VEO_IN_PROJECT: JsonObject = {
  instances: [{ prompt: "a cat", referenceImages: [{ image: FRAME, referenceType: "asset" }] }],
  parameters: {
    generateAudio: false,
    enhancePrompt: true,
    compressionQuality: "lossless",
    resizeMode: "pad",
    storageUri: "gs://b/c",
    sampleCount: 4,
  },
};
const WAN: JsonObject = {
  model: "wan2.6-t2v",
  input: { prompt: "a cat", negative_prompt: "dogs", audio_url: "https://a.example/a.mp3" },
  parameters: {
    size: "1280*720",
    duration: 5,
    prompt_extend: true,
    audio: true,
    shot_type: "single",
    watermark: false,
    seed: 7,
  },
};
const WAN_MEDIA: JsonObject = {
  model: "wan2.7-r2v",
  input: {
    prompt: "a cat",
    media: [
      { type: "reference_image", url: pngUrl(400, 400) },
      { type: "reference_video", url: "https://a.example", reference_voice: "https://b.example" },
    ],
  },
  parameters: { resolution: "720P", ratio: "1:1" },
};
const MINIMAX: JsonObject = {
  model: "MiniMax-H3",
  content: [
    { type: "text", text: "a cat" },
    { type: "image_url", image_url: { url: pngUrl(400, 400) }, role: "reference_image" },
    { type: "video_url", video_url: { url: "https://a.example" }, role: "reference_video" },
    { type: "audio_url", audio_url: { url: "https://a.example" }, role: "reference_audio" },
  ],
  resolution: "2K",
  duration: 5,
  ratio: "adaptive",
  aigc_watermark: false,
};
const MINIMAX_V1: JsonObject = {
  model: "S2V-01",
  prompt: "a cat",
  prompt_optimizer: true,
  fast_pretreatment: false,
  duration: 6,
  resolution: "720P",
  subject_reference: [{ type: "character", image: [pngUrl(400, 400)] }],
};
const JIMENG: JsonObject = {
  req_key: "jimeng_i2v_recamera_v30",
  prompt: "a cat",
  binary_data_base64: [BASE64],
  seed: -1,
  frames: 121,
  aspect_ratio: "16:9",
  template_id: "dolly",
  camera_strength: "weak",
};
const PICTURE: JsonObject = {
  model: "doubao-seedream-4-0-250828",
  prompt: "Draw 3 foxes",
  image: [pngUrl(300, 300), "https://a.example/fox.png"],
  size: "1280x720",
  response_format: "url",
  watermark: false,
  stream: true,
  seed: 7,
  sequential_image_generation: "auto",
  sequential_image_generation_options: { max_images: 3 },
  optimize_prompt_options: { mode: "fast" },
};
const EDIT: JsonObject = {
  model: "qwen-image-edit-plus",
  input: {
    messages: [{ role: "user", content: [{ image: pngUrl(400, 400) }, { text: "Make it red" }] }],
  },
  parameters: {
    n: 2,
    size: "1024*512",
    negative_prompt: "blurry",
    prompt_extend: true,
    watermark: true,
    seed: 7,
  },
};
const DRAWN: JsonObject = {
  model: "gpt-image-2",
  prompt: "A fox",
  n: 2,
  size: "64x64",
  quality: "low",
  background: "transparent",
  moderation: "low",
  output_format: "webp",
  output_compression: 50,
  stream: true,
  partial_images: 1,
  user: "u",
};
const REDRAWN: JsonObject = {
  ...DRAWN,
  model: "gpt-image-1.5",
  // This model has no smaller size, and WebP takes ten times as long as JPEG.
  size: "1024x1024",
  n: 1,
  output_format: "jpeg",
  background: "opaque",
  images: [{ image_url: pngUrl(8, 8) }, { image_url: "https://a.example/fox.png" }],
  mask: { image_url: "https://a.example/mask.png" },
  input_fidelity: "high",
};
const SPOKEN: JsonObject = {
  model: "gpt-4o-mini-tts",
  input: "Hello there",
  voice: { id: "voice_1" },
  instructions: "Whisper.",
  response_format: "opus",
  speed: 1.5,
  stream_format: "sse",
};
const JUDGED: JsonObject = {
  model: "omni-moderation-latest",
  input: [
    { type: "text", text: "Hello" },
    { type: "image_url", image_url: { url: pngUrl(8, 8) } },
  ],
};
const GENERATION = "/api/v1/services/aigc/multimodal-generation/generation";
const SYNTHESIS = "/api/v1/services/aigc/video-generation/video-synthesis";
const PROJECT = "/v1/projects/p/locations/l/publishers/google/models/veo-3.1-generate-001";
const SUBMIT = "/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31";

const ENDPOINTS: readonly (readonly [string, VendorFactory, string, JsonObject])[] = [
  ["responses", openai, "/v1/responses", RESPONSE],
  ["chats", openai, "/v1/chat/completions", CHAT],
  ["pictures", openai, "/v1/images/generations", DRAWN],
  ["edits", openai, "/v1/images/edits", REDRAWN],
  ["speech", openai, "/v1/audio/speech", SPOKEN],
  ["moderations", openai, "/v1/moderations", JUDGED],
  [
    "dashscope",
    dashscope,
    "/compatible-mode/v1/chat/completions",
    { ...CHAT_OF_OTHERS, model: "qwen-plus" },
  ],
  ["ark", ark, "/api/v3/chat/completions", { ...CHAT_OF_OTHERS, model: "doubao-seed-1-8-251228" }],
  ["kling's older pictures", kling, "/v1/videos/image2video", KLING_V1],
  ["kling's older shots", kling, "/v1/videos/text2video", KLING_SHOTS],
  ["kling's older references", kling, "/v1/videos/omni-video", KLING_OMNI_V1],
  ["kling's references", kling, "/omni-video/kling-3.0-omni", KLING_OMNI],
  ["kling's list", kling, "/tasks", { limit: 5, filters: [{ key: "status", values: ["failed"] }] }],
  ["vidu", vidu, "/ent/v2/reference2video", VIDU],
  ["ark's videos", ark, "/api/v3/contents/generations/tasks", VIDEO],
  ["openai's videos", openai, "/v1/videos", SORA],
  ["veo", gemini, "/v1beta/models/veo-3.1-generate-preview:predictLongRunning", VEO],
  ["veo in a project", gemini, `${PROJECT}:predictLongRunning`, VEO_IN_PROJECT],
  ["wan", dashscope, SYNTHESIS, WAN],
  ["wan's list of media", dashscope, SYNTHESIS, WAN_MEDIA],
  ["minimax", minimax, "/v2/video_generation", MINIMAX],
  ["minimax's older version", minimax, "/v1/video_generation", MINIMAX_V1],
  ["jimeng", jimeng, SUBMIT, JIMENG],
  ["ark's pictures", ark, "/api/v3/images/generations", PICTURE],
  ["dashscope's pictures", dashscope, GENERATION, EDIT],
];

test.each(ENDPOINTS)("%s: the original request is valid", async (_, create, path, body) => {
  expect(await answer(openVendor(create), path, body)).toBe(200);
});

test.each(ENDPOINTS)(
  "%s: a request with any value replaced gets the vendor's error or a response",
  async (_, create, path, body) => {
    const vendor = openVendor(create);

    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.jsonValue({ maxDepth: 2 }),
        fc.boolean(),
        async (place, value, isMissing) => {
          const places = placesIn(body);
          const at = places[place % places.length] ?? [];
          const bent = replaced(body, at, isMissing ? undefined : ownJson(value));
          expect(await answer(vendor, path, bent ?? null)).toBeLessThan(500);
        },
      ),
      { seed: SEED, numRuns: times(40, 20_000) },
    );
  },
);

/** The status; a stream is read to its end. */
async function answer(vendor: Vendor, path: string, body: Json): Promise<number> {
  vendor.lastUserText(body);
  const { pathname, searchParams: query } = new URL(path, "http://vendor.example");
  const text = JSON.stringify(body);
  const signed = signedHeaders(`http://vendor.example/jimeng${path}`, text, Date.now());
  const reply = await vendor.reply({
    method: "POST",
    path: pathname,
    query,
    headers: {
      "content-type": "application/json",
      "x-dashscope-async": path === GENERATION ? "" : "enable",
      authorization: vendor.id === "vidu" ? "Token x" : "Bearer x",
      ...(vendor.id === "jimeng" ? signed : {}),
    },
    bytes: Buffer.from(text),
    body,
    faults: {},
  });
  if (reply.body.kind === "events")
    expect([...faultyFrames(reply.body.frames, {}, () => [])].length).toBeGreaterThan(0);
  return reply.status;
}

type Place = readonly (string | number)[];

function placesIn(value: Json, path: Place = []): readonly Place[] {
  const parts: readonly (readonly [string | number, Json])[] = isJsonArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return [path, ...parts.flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

/** A copy with something else, or nothing, in one place. */
function replaced(value: Json, [key, ...rest]: Place, other: Json | undefined): Json | undefined {
  if (key === undefined) return other;
  if (isJsonArray(value))
    return value.flatMap((part, index) =>
      index === key ? (replaced(part, rest, other) ?? []) : [part],
    );
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, part]) => {
    const changed = name === key ? replaced(part, rest, other) : part;
    return changed === undefined ? [] : [[name, changed] as const];
  });
  return Object.fromEntries(entries);
}

function ownJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}

import { either, flag, integer, list, number, object, tagged, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

/** The most an owner may allow; what they do allow is a setting. */
const MAX_MESSAGES = 100_000;
const MAX_TOOLS = 512;
const MAX_STOPS = 64;
const MAX_PARTS = 5_000;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;
const MAX_NAME = 512;

const NAME = text({ minLength: 1, maxLength: MAX_NAME });
const PRESENT = text({ minLength: 1 });
const ANY_OBJECT = object({});
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default", "auto"];
const DETAILS = text({
  oneOf: ["auto", "low", "high", "original", "xhigh"],
  anyCase: true,
  isOpen: true,
});
const LEVELS = ["LOW", "HIGH", "MINIMAL", "MEDIUM"];

const PART = tagged(
  "type",
  {
    text: object({ "text!": text() }),
    refusal: object({ "refusal!": text() }),
    image_url: object({
      "image_url!": either(PRESENT, object({ "url!": PRESENT, detail: DETAILS })),
    }),
    input_audio: object({
      "input_audio!": either(PRESENT, object({ "data!": PRESENT, format: text() })),
    }),
    video_url: object({ "video_url!": either(PRESENT, object({ "url!": PRESENT })) }),
    file: object({ "file!": object({ file_id: text(), file_data: text(), filename: text() }) }),
  },
  { closed: false },
);

const CONTENT = either(text(), list(PART, MAX_PARTS));

const CALLED_FUNCTION = object({ "name!": text(), arguments: either(text(), ANY_OBJECT) });
const FUNCTION_CALL = object({ "id!": text(), "function!": CALLED_FUNCTION });
const TOOL_CALL = tagged(
  "type",
  {
    function: FUNCTION_CALL,
    custom: object({ "id!": text(), "custom!": object({ "name!": text(), input: text() }) }),
  },
  { closed: false, untagged: FUNCTION_CALL },
);

const SPOKEN = object({ "content!": CONTENT, name: text() });
const MESSAGE = tagged(
  "role",
  {
    system: SPOKEN,
    developer: SPOKEN,
    user: SPOKEN,
    assistant: object({
      content: CONTENT,
      name: text(),
      refusal: text(),
      tool_calls: list(TOOL_CALL, MAX_TOOLS),
      function_call: CALLED_FUNCTION,
      audio: object({ id: text() }),
      reasoning_content: text(),
    }),
    tool: object({ "content!": CONTENT, "tool_call_id!": text(), name: text() }),
    function: object({ content: CONTENT, "name!": text() }),
  },
  { closed: "open" },
);

const DEFINED_FUNCTION = object({
  "name!": NAME,
  description: text(),
  parameters: ANY_OBJECT,
  strict: flag(),
});
const FUNCTION_TOOL = object({ "function!": DEFINED_FUNCTION });
const TOOL = tagged(
  "type",
  {
    function: FUNCTION_TOOL,
    custom: object({
      "custom!": object({ "name!": NAME, description: text(), format: ANY_OBJECT }),
    }),
  },
  { closed: false, untagged: FUNCTION_TOOL },
);

const CHOSEN_FUNCTION = object({ function: object({ "name!": NAME }), name: NAME });
const TOOL_CHOICE = either(
  text({ oneOf: ["none", "auto", "required", "any"], isOpen: true }),
  tagged(
    "type",
    {
      function: CHOSEN_FUNCTION,
      custom: object({ "custom!": object({ "name!": NAME }) }),
      allowed_tools: object({
        "allowed_tools!": object({ mode: text(), "tools!": list(ANY_OBJECT, MAX_TOOLS) }),
      }),
      tool: object({ "name!": NAME }),
      auto: ANY_OBJECT,
      any: ANY_OBJECT,
      none: ANY_OBJECT,
      required: ANY_OBJECT,
    },
    { closed: "open", untagged: CHOSEN_FUNCTION },
  ),
);

const RESPONSE_FORMAT = tagged(
  "type",
  {
    text: ANY_OBJECT,
    json_object: ANY_OBJECT,
    json_schema: object({
      "json_schema!": object({
        name: text(),
        description: text(),
        "schema!": ANY_OBJECT,
        strict: flag(),
      }),
    }),
    // Of servers that steer by a grammar.
    json: ANY_OBJECT,
    regex: ANY_OBJECT,
    grammar: ANY_OBJECT,
    structural_tag: ANY_OBJECT,
  },
  { closed: "open" },
);

const PLACE = object({ country: text(), region: text(), city: text(), timezone: text() });

const SEARCH_OPTIONS = object({ region: text(), recency_days: integer(0, 100_000) });

const TEMPERATURE = number(
  0,
  2,
  "How freely the model chooses; 0.7 where a model has no default of its own.",
);
const TOP_P = number(0, 1, "Nucleus sampling.");

/** Everything of a chat-completions request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "model!": NAME,
  "messages!": list(MESSAGE, MAX_MESSAGES, 1),
  stream: flag("Answer as server-sent events."),
  stream_options: object({ include_usage: flag("A last chunk with the tokens used.") }),

  temperature: TEMPERATURE,
  top_p: TOP_P,
  top_k: integer(-1, 1_000_000),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  random_seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, "Another name of `seed`."),
  max_tokens: integer(1, MAX_OUTPUT_TOKENS, "The most tokens to generate."),
  max_completion_tokens: integer(
    1,
    MAX_OUTPUT_TOKENS,
    "The most tokens to generate, reasoning included.",
  ),
  stop: either(text(), list(text(), MAX_STOPS)),
  n: integer(1, 128, "How many answers."),
  logprobs: flag(),
  top_logprobs: integer(0, 20),
  logit_bias: ANY_OBJECT,

  tools: list(TOOL, MAX_TOOLS),
  tool_choice: TOOL_CHOICE,
  parallel_tool_calls: flag(),
  functions: list(DEFINED_FUNCTION, MAX_TOOLS),
  function_call: either(text({ oneOf: ["none", "auto"], isOpen: true }), object({ "name!": NAME })),

  response_format: RESPONSE_FORMAT,
  modalities: list(text(), 8),
  image_config: object(
    { aspect_ratio: text(), image_size: text() },
    "How a picture in the answer is to be.",
  ),
  audio: ANY_OBJECT,
  prediction: ANY_OBJECT,
  user: text(),
  metadata: ANY_OBJECT,
  store: flag(),
  service_tier: text(),

  reasoning_effort: text({
    oneOf: EFFORTS,
    doc: "How much of its budget a model may think.",
    isOpen: true,
  }),
  thinking: object(
    {
      type: text({ oneOf: ["enabled", "disabled", "auto", "adaptive"], isOpen: true }),
      budget_tokens: integer(-1, MAX_OUTPUT_TOKENS),
    },
    "The reasoning switch of one model family; off unless it says `enabled`.",
  ),
  enable_thinking: flag("The reasoning switch of another family; needs `stream`."),
  thinking_budget: integer(-1, MAX_OUTPUT_TOKENS),
  svc_thinking_to_content: flag("Put reasoning text into the content when streaming."),
  thinking_to_content: flag(),
  reasoning: object({ effort: text(), max_tokens: integer(0, MAX_OUTPUT_TOKENS), enabled: flag() }),
  generationConfig: object({
    thinkingConfig: object({
      thinkingLevel: text({
        oneOf: LEVELS,
        isOpen: true,
        anyCase: true,
        doc: "The reasoning level of the third family's latest model; HIGH where nothing is said.",
      }),
      thinkingBudget: integer(-1, MAX_OUTPUT_TOKENS),
      includeThoughts: flag(),
    }),
  }),
  extra_body: {
    is: "record",
    of: object({
      thinking_config: object({
        thinking_budget: integer(-1, MAX_OUTPUT_TOKENS, "-1 automatic, 0 off."),
        include_thoughts: flag(),
        thinking_level: text({ oneOf: LEVELS, anyCase: true, isOpen: true }),
      }),
      image_config: object({ aspect_ratio: text(), image_size: text() }),
      tools: list(ANY_OBJECT, MAX_TOOLS),
    }),
    doc: "Under a vendor's name: its reasoning budget, how it is to draw, its own tools.",
  },
  parameters: object(
    {
      incremental_output: flag(),
      enable_search: flag("Search the web."),
      search_options: SEARCH_OPTIONS,
      asr_options: object({ language: text() }, "How to recognise speech."),
      temperature: TEMPERATURE,
      top_p: TOP_P,
      thinking_budget: integer(-1, MAX_OUTPUT_TOKENS),
    },
    "The extension parameters of the family that has `enable_thinking`.",
  ),
  enable_search: flag(),
  search_options: SEARCH_OPTIONS,
  web_search_options: object({
    search_context_size: text({ oneOf: ["low", "medium", "high", ""], isOpen: true }),
    user_location: object({ approximate: PLACE }),
  }),
});

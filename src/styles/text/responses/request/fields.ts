import { either, flag, integer, list, number, object, tagged, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

/** The most an owner may allow; what they do allow is a setting. */
const MAX_ITEMS = 100_000;
const MAX_TOOLS = 512;
const MAX_PARTS = 5_000;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;
const MAX_NAME = 512;

const NAME = text({ minLength: 1, maxLength: MAX_NAME });
const PRESENT = text({ minLength: 1 });
const ANY_OBJECT = object({});
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const SUMMARIES = ["auto", "none", "concise", "detailed"];
const SIZES = ["low", "medium", "high"];

const DETAIL = text({ oneOf: ["auto", "low", "high", "original", "xhigh"], isOpen: true });
const TEXT = object({ "text!": text() });
const IMAGE = object({ image_url: PRESENT, file_id: text(), detail: DETAIL });
const FILE = object({
  file_url: text(),
  file_id: text(),
  file_data: text(),
  filename: text(),
});
const AUDIO = object({ "input_audio!": object({ "data!": PRESENT, format: text() }) });

const PART = tagged(
  "type",
  {
    input_text: TEXT,
    output_text: TEXT,
    text: TEXT,
    refusal: object({ "refusal!": text() }),
    input_image: IMAGE,
    input_file: FILE,
    input_audio: AUDIO,
  },
  { closed: false },
);

const CONTENT = either(text(), list(PART, MAX_PARTS));
const ROLE = text({ oneOf: ["user", "assistant", "system", "developer"], isOpen: true });
const OUTPUT = object({ "call_id!": PRESENT, "output!": CONTENT });
/** Some results name their tool instead of their call. */
const NAMED_OUTPUT = object({ call_id: PRESENT, "output!": CONTENT });

/** Without a type it is a message or, where it has nothing but an id, a reference to an item. */
const ITEM = tagged(
  "type",
  {
    message: object({ "role!": ROLE, "content!": CONTENT }),
    function_call: object({
      "call_id!": PRESENT,
      "name!": PRESENT,
      arguments: either(text(), ANY_OBJECT),
    }),
    function_call_output: NAMED_OUTPUT,
    custom_tool_call: object({ "call_id!": PRESENT, "name!": PRESENT, input: text() }),
    custom_tool_call_output: OUTPUT,
    reasoning: object({
      summary: list(object({ text: text() }), MAX_PARTS),
      content: list(object({ text: text() }), MAX_PARTS),
      encrypted_content: text(),
    }),
    item_reference: object({ "id!": PRESENT }),
    input_text: TEXT,
    input_image: IMAGE,
    input_file: FILE,
    input_audio: AUDIO,
  },
  { closed: false, untagged: object({ role: ROLE, content: CONTENT, id: text() }) },
);

const FUNCTION = {
  name: NAME,
  description: text(),
  parameters: ANY_OBJECT,
  strict: flag(),
};
const WEB_SEARCH = object({
  search_context_size: text({ oneOf: SIZES, doc: "`medium` where nothing is said.", isOpen: true }),
  user_location: object({
    country: text(),
    region: text(),
    city: text(),
    timezone: text(),
  }),
  filters: object({ allowed_domains: list(text(), MAX_TOOLS) }),
});
const FUNCTION_TOOL = object({
  ...FUNCTION,
  function: object(
    { ...FUNCTION, "name!": NAME },
    "The same members, one level deeper; either form is read.",
  ),
});
const TOOL = tagged(
  "type",
  {
    function: FUNCTION_TOOL,
    custom: object({ name: NAME, description: text(), format: ANY_OBJECT }),
    web_search: WEB_SEARCH,
    web_search_preview: WEB_SEARCH,
    file_search: object({ vector_store_ids: list(text(), MAX_TOOLS) }),
  },
  { closed: false, untagged: FUNCTION_TOOL },
);

const CHOSEN = object({ name: NAME, function: object({ "name!": NAME }) });
const TOOL_CHOICE = either(
  text({ oneOf: ["none", "auto", "required"], isOpen: true }),
  tagged(
    "type",
    {
      function: CHOSEN,
      custom: object({ "name!": NAME }),
      allowed_tools: object({ mode: text(), "tools!": list(ANY_OBJECT, MAX_TOOLS) }),
    },
    { closed: false },
  ),
);

const FORMAT = tagged(
  "type",
  {
    text: ANY_OBJECT,
    json_object: ANY_OBJECT,
    json_schema: object({
      name: text(),
      description: text(),
      "schema!": ANY_OBJECT,
      strict: flag(),
    }),
    grammar: ANY_OBJECT,
  },
  { closed: "open" },
);

/** Everything of a responses request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "model!": NAME,
  input: either(text(), list(ITEM, MAX_ITEMS)),
  instructions: text({ doc: "What the model is told before anything else." }),
  stream: flag("Answer as server-sent events."),
  max_output_tokens: integer(
    1,
    MAX_OUTPUT_TOKENS,
    "The most tokens to generate, reasoning included.",
  ),

  temperature: number(0, 2, "How freely the model chooses; 1 where nothing is said."),
  top_p: number(0, 1, "Nucleus sampling; 0.98 where nothing is said."),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  top_logprobs: integer(0, 20),

  reasoning: object({
    effort: text({ oneOf: EFFORTS, doc: "How much the model may think.", isOpen: true }),
    summary: text({ oneOf: SUMMARIES, doc: "Whether to show what it thought.", isOpen: true }),
    generate_summary: text({ oneOf: SUMMARIES, isOpen: true }),
  }),
  text: object({ format: FORMAT, verbosity: text() }),

  tools: list(TOOL, MAX_TOOLS),
  tool_choice: TOOL_CHOICE,
  parallel_tool_calls: flag(),
  max_tool_calls: integer(0, MAX_TOOLS, "The most calls of built-in tools."),

  previous_response_id: text({ doc: "The response to go on from; the caller's own." }),
  conversation: either(text(), object({ "id!": PRESENT })),
  prompt: object({ "id!": PRESENT }),
  store: flag("Whether the response can be gone on from, for 30 days."),
  truncation: text({
    oneOf: ["auto", "disabled"],
    isOpen: true,
    doc: "`auto` drops the oldest items where the input is too long.",
  }),
  background: flag("Not offered: true is refused."),
  include: list(text(), 64),
  metadata: ANY_OBJECT,
  user: text(),
  safety_identifier: text(),
  prompt_cache_key: text(),
  service_tier: text(),
});

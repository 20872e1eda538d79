import { either, flag, integer, list, number, object, tagged, text } from "#lib/rules.ts";
import type { ObjectRule, Rule } from "#lib/rules.ts";

/** The most an owner may allow; what they do allow is a setting. */
const MAX_MESSAGES = 100_000;
const MAX_BLOCKS = 5_000;
const MAX_TOOLS = 512;
const MAX_STOPS = 64;
const MAX_SERVERS = 100;
const MAX_DOMAINS = 1_000;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const NAME = text({ minLength: 1, maxLength: 512 });
const ANY_OBJECT = object({});

const CACHE_CONTROL = tagged(
  "type",
  {
    ephemeral: object({ ttl: text({ oneOf: ["5m", "1h"], isOpen: true }) }),
    persistent: ANY_OBJECT,
  },
  { closed: "open" },
);

const SOURCE = tagged(
  "type",
  {
    base64: object({ "media_type!": text(), "data!": text() }),
    text: object({ "data!": text() }),
    url: object({ "url!": text({ minLength: 1 }) }),
    file: object({ "file_id!": text({ minLength: 1 }) }),
    content: object({ "content!": either(text(), list(ANY_OBJECT, MAX_BLOCKS)) }),
  },
  { closed: false },
);

const TEXT_BLOCK = object({ "text!": text(), cache_control: CACHE_CONTROL });
const IMAGE_BLOCK = object({ "source!": SOURCE, cache_control: CACHE_CONTROL });
const SHOWN_BLOCKS = {
  text: TEXT_BLOCK,
  image: IMAGE_BLOCK,
  document: object({
    "source!": SOURCE,
    title: text(),
    context: text(),
    citations: object({ enabled: flag() }),
    cache_control: CACHE_CONTROL,
  }),
  search_result: object({
    "source!": text(),
    "title!": text(),
    "content!": list(TEXT_BLOCK, MAX_BLOCKS),
    cache_control: CACHE_CONTROL,
  }),
};

const BLOCK = tagged(
  "type",
  {
    ...SHOWN_BLOCKS,
    tool_use: object({
      "id!": text(),
      "name!": text(),
      "input!": ANY_OBJECT,
      cache_control: CACHE_CONTROL,
    }),
    tool_result: object({
      "tool_use_id!": text(),
      content: content(tagged("type", SHOWN_BLOCKS, { closed: false })),
      is_error: flag(),
      cache_control: CACHE_CONTROL,
    }),
    thinking: object({ "thinking!": text(), signature: text() }),
    redacted_thinking: object({ "data!": text() }),
  },
  { closed: false },
);

const SAID = object({ "content!": content(BLOCK) });
/** Some only change a setting from there on. */
const TOLD = object({ content: content(BLOCK) });
const MESSAGE = tagged("role", { user: SAID, assistant: SAID, system: TOLD }, { closed: "open" });

const FUNCTION_TOOL = object({
  "name!": NAME,
  description: text(),
  "input_schema!": ANY_OBJECT,
  strict: flag(),
  cache_control: CACHE_CONTROL,
});
const WEB_SEARCH_TOOL = object(
  {
    "name!": NAME,
    max_uses: integer(1, 1_000, "How many searches a call may make."),
    allowed_domains: list(text(), MAX_DOMAINS),
    blocked_domains: list(text(), MAX_DOMAINS),
    user_location: object({
      type: text({ oneOf: ["approximate"], isOpen: true }),
      city: text(),
      region: text(),
      country: text(),
      timezone: text(),
    }),
    cache_control: CACHE_CONTROL,
  },
  "The upstream searches by itself.",
);
const TOOL = tagged(
  "type",
  {
    custom: FUNCTION_TOOL,
    web_search_20250305: WEB_SEARCH_TOOL,
    web_search_20260209: WEB_SEARCH_TOOL,
    web_search_20260318: WEB_SEARCH_TOOL,
  },
  { closed: false, untagged: FUNCTION_TOOL },
);

const PARALLEL = { disable_parallel_tool_use: flag() };
const TOOL_CHOICE = tagged(
  "type",
  {
    auto: object(PARALLEL),
    any: object(PARALLEL),
    tool: object({ "name!": NAME, ...PARALLEL }),
    none: ANY_OBJECT,
  },
  { closed: "open" },
);

const DISPLAY = text({ oneOf: ["summarized", "omitted"], isOpen: true });
const THINKING = tagged(
  "type",
  {
    enabled: object({
      "budget_tokens!": integer(
        1_024,
        MAX_OUTPUT_TOKENS,
        "Tokens to think for; they count towards `max_tokens`.",
      ),
      display: DISPLAY,
    }),
    adaptive: object({ display: DISPLAY }),
    disabled: ANY_OBJECT,
  },
  { closed: "open" },
);

const FORMAT = tagged(
  "type",
  { json_schema: object({ "schema!": ANY_OBJECT }) },
  { closed: "open" },
);

/** Everything of a messages request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "model!": NAME,
  "messages!": list(MESSAGE, MAX_MESSAGES, 1),
  "max_tokens!": {
    ...integer(1, MAX_OUTPUT_TOKENS, "The most tokens to generate, thinking included."),
    isOpen: true,
  },
  system: content(tagged("type", { text: TEXT_BLOCK }, { closed: "open" })),
  stream: flag("Answer as server-sent events."),

  temperature: number(0, 1, "How freely the model chooses; 1 where nothing is said."),
  top_p: number(0, 1, "Nucleus sampling."),
  top_k: integer(-1, 1_000_000, "-1 is as good as none."),
  stop_sequences: list(text(), MAX_STOPS),

  tools: list(TOOL, MAX_TOOLS),
  tool_choice: TOOL_CHOICE,
  thinking: THINKING,
  output_config: object({
    effort: text({ oneOf: ["low", "medium", "high", "xhigh", "max"], isOpen: true }),
    format: FORMAT,
  }),
  output_format: FORMAT,

  metadata: object({ user_id: text() }),
  mcp_servers: list(object({ name: text(), url: text() }), MAX_SERVERS),
  context_management: ANY_OBJECT,
  container: either(text(), ANY_OBJECT),
  service_tier: text(),
  cache_control: CACHE_CONTROL,
});

function content(block: Rule): Rule {
  return either(text(), list(block, MAX_BLOCKS));
}

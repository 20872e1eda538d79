import type { Channel } from "#core/channel.ts";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { GatewayError } from "#core/error.ts";
import type { Address, TextStyle } from "#core/style.ts";
import { isObject, outlineJson, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini as geminiVendor } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { passthroughRequest } from "#relay/translation/passthrough.ts";
import { DeclarationFile } from "./declarations.ts";
import { Samples, type Hints, type Sample } from "./samples.ts";

const MODULES = join(import.meta.dir, "../../../node_modules");

/**
 * The newest official clients say in their types all that a request may hold.
 * A vendor of the caller's own style gets each of it: only what cannot be right
 * for any model is refused before.
 */
interface Official {
  readonly style: TextStyle;
  readonly vendor: Provider;
  readonly file: string;
  readonly type: string;
  /** What the type does not tell: bounds, and strings that are no words. */
  readonly hints: Hints;
  readonly toBody?: (value: Json) => JsonObject;
  readonly address?: Address;
  /** What the gateway declines by itself, by the field that it names, and why. */
  readonly declined: Readonly<Record<string, string>>;
  /** Members that the gateway writes anew, and why. */
  readonly rewritten?: Readonly<Record<string, string>>;
}

const WITHOUT_TOOLS = {
  tool_choice: "the vendor refuses it without tools",
  parallel_tool_calls: "the vendor refuses it without tools",
};

const CLIENTS: Readonly<Record<string, Official>> = {
  "openai, chat completions": {
    style: chat,
    vendor: openai,
    file: "openai/resources/chat/completions/completions.d.ts",
    type: "ChatCompletionCreateParamsBase",
    hints: { model: "m" },
    declined: { "response_format.json_schema.schema": "a format by a schema needs one" },
    rewritten: { ...WITHOUT_TOOLS, messages: "the vendor wants the word JSON in them" },
  },
  "openai, responses": {
    style: responses,
    vendor: openai,
    file: "openai/resources/responses/responses.d.ts",
    type: "ResponseCreateParamsBase",
    hints: { model: "m", input: "text" },
    toBody: (body) => ({ model: "m", input: "text", ...objectOf(body) }),
    declined: { background: "responses are made while the caller waits" },
    rewritten: {
      ...WITHOUT_TOOLS,
      input: "the vendor wants the word JSON in it",
      max_output_tokens: "the vendor takes no less than 16",
      store: "answers are kept by the gateway",
      previous_response_id: "answers are kept by the gateway",
    },
  },
  "openai, input of responses": {
    style: responses,
    vendor: openai,
    file: "openai/resources/responses/responses.d.ts",
    type: "ResponseInput",
    hints: {},
    toBody: (input) => ({ model: "m", input }),
    declined: {},
    rewritten: { input: "the vendor refuses reasoning that nothing follows" },
  },
  "anthropic, messages": {
    style: messages,
    vendor: anthropic,
    file: "@anthropic-ai/sdk/resources/messages/messages.d.ts",
    type: "MessageCreateParamsBase",
    hints: { budget_tokens: 1_024 },
    declined: {},
  },
  "anthropic, messages with all betas": {
    style: messages,
    vendor: anthropic,
    file: "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts",
    type: "MessageCreateParamsBase",
    hints: { budget_tokens: 1_024 },
    declined: { thread: "conversations are not kept" },
  },
  ...google("parts", "Part", (part) => ({ contents: [{ role: "user", parts: [part] }] }), {
    "contents[0].parts[0].inlineData.data": "a file is its bytes",
    "contents[0].parts[0].functionResponse.parts[0].inlineData.data": "a file is its bytes",
  }),
  ...google("settings", "GenerationConfig", (generationConfig) => ({ generationConfig })),
  ...google("tools", "Tool", (tool) => ({ tools: [tool] }), {
    "tools[0].functionDeclarations[0].name": "a function is called by its name",
  }),
  ...google("choice of tools", "ToolConfig", (toolConfig) => ({ toolConfig })),
  ...google("safety", "SafetySetting", (setting) => ({ safetySettings: [setting] })),
};

function google(
  what: string,
  type: string,
  toBody: (value: Json) => JsonObject,
  declined: Official["declined"] = {},
): Record<string, Official> {
  const contents = [{ role: "user", parts: [{ text: "text" }] }];
  return {
    [`google, ${what}`]: {
      style: gemini,
      vendor: geminiVendor,
      file: "@google/genai-3/dist/genai.d.ts",
      type,
      hints: {},
      toBody: (value) => ({ contents, ...toBody(value) }),
      address: { model: "m" },
      declined,
    },
  };
}

function samplesOf({ file, type, hints }: Official): readonly Sample[] {
  const declared = DeclarationFile.open(join(MODULES, file)).find(type);
  if (declared === undefined) throw new Error(`${file} has no type ${type}.`);
  return new Samples(hints).of(declared);
}

function bodyOf({ toBody }: Official, value: Json): JsonObject {
  const body = toBody === undefined ? value : toBody(value);
  // As it arrives: what is undefined is not there.
  const json = parseJson(JSON.stringify(body));
  return isObject(json) ? json : {};
}

describe.each(Object.entries(CLIENTS))("%s", (_name, official) => {
  const samples = samplesOf(official);
  const { style, address = {}, declined } = official;

  test("all of its types are read", () => {
    expect(samples.length).toBeGreaterThan(3);
  });

  test(`none of its members and values is refused (${samples.length} requests)`, () => {
    const refused = samples.flatMap(({ shows, value }) => {
      try {
        style.inbound.readRequest(bodyOf(official, value), address);
        return [];
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return [{ shows, param: error.param ?? "" }];
      }
    });
    expect(refused.filter(({ param }) => !Object.hasOwn(declined, param))).toEqual([]);
    // What is declined no more does not stay in the table.
    const fields = new Set(refused.map(({ param }) => param));
    expect(Object.keys(declined).filter((field) => !fields.has(field))).toEqual([]);
  });

  test("and each of them reaches a vendor of the style", () => {
    const changed = samples.flatMap(({ shows, value }) => {
      const body = bodyOf(official, value);
      const sent = sentFor(body, official);
      if (sent === undefined) return [];
      return Object.keys(body).flatMap((name) => {
        const isKept = name === "model" || Bun.deepEquals(sent[name], body[name]);
        return isKept ? [] : [{ shows, name, sent: sent[name] }];
      });
    });
    expect(changed.filter(({ name }) => !Object.hasOwn(official.rewritten ?? {}, name))).toEqual(
      [],
    );
  });
});

/** What goes up for a body that passes through; `undefined` for one that is refused. */
function sentFor(
  json: JsonObject,
  { style, vendor, address = {} }: Official,
): JsonObject | undefined {
  const [endpoint] = vendor.text.filter((each) => each.style.id === style.id);
  if (endpoint === undefined) throw new Error(`${vendor.id} does not speak ${style.id}.`);
  const text = JSON.stringify(json);
  try {
    const facts = style.inbound.readRequest(json, address);
    const sent = passthroughRequest(
      {
        body: { json, text, outline: outlineJson(text, 64) },
        facts,
        header: () => undefined,
        isStrict: false,
      },
      { endpoint, upstreamModel: "m", traits: {}, channel: A_CHANNEL, provider: vendor },
      style.passthrough,
    );
    return objectOf(parseJson(String(sent.body)));
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

const A_CHANNEL = { baseUrl: "" } as Channel;

import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ChatDialect } from "./request/dialect.ts";
import { readRequest } from "./request/facts.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

const USER = { role: "user", content: "hi" };

function read(fields: JsonObject): ChatRequest {
  const body = { model: "m", messages: [USER], ...fields };
  readRequest(body);
  return parseRequest(body);
}

/** The same caller's request, written again for an upstream of this style. */
function again(fields: JsonObject): [JsonObject, readonly string[]] {
  const report = new LossReport();
  const { model: _m, messages: _q, ...rest } = buildRequest(read(fields), { report, model: {} });
  return [rest, report.fields];
}

function searched(
  webSearch: ChatRequest["webSearch"],
  dialect: ChatDialect,
  model = "m",
): [JsonObject, readonly string[]] {
  const report = new LossReport();
  const request: ChatRequest = {
    model,
    messages: [{ role: "user", blocks: [{ type: "text", text: "hi" }] }],
    stream: false,
    sampling: {},
    ...(webSearch === undefined ? {} : { webSearch }),
  };
  const body = buildRequest(request, { report, model: {}, dialect: { ...dialect } });
  const { model: _m, messages: _q, ...rest } = body;
  return [rest, report.fields];
}

function functionTool(name: string, more: JsonObject = {}): JsonObject {
  return { type: "function", function: { name, ...more } };
}

describe("[A4.3-06] the vendor's own search can be requested in several forms", () => {
  test.each<[string, JsonObject]>([
    ["a function of the specification's name", { tools: [functionTool("vendorSearch")] }],
    ["a function of the vendor's name", { tools: [functionTool("googleSearch")] }],
    ["a function of the vendor's other name", { tools: [functionTool("google_search")] }],
    ["a tool of the vendor", { extra_body: { brand: { tools: [{ vendorSearch: {} }] } } }],
    [
      "a tool of the vendor, put into the body by a client library",
      { brand: { tools: [{ googleSearch: {} }] } },
    ],
    ["options", { web_search_options: {} }],
    ["the switch of a family", { parameters: { enable_search: true } }],
    ["the same at the top level", { enable_search: true }],
  ])("%s", (_way, fields) => {
    const request = read(fields);

    expect(request.webSearch).toEqual({});
    expect(request.tools).toBeUndefined();
    expect(request.extra).toBeUndefined();
    expect(again(fields)).toEqual([fields, []]);
  });

  test("but not as the client's own function of that name, which has arguments", () => {
    const parameters = { type: "object", properties: { query: { type: "string" } } };
    const request = read({ tools: [functionTool("google_search", { parameters })] });

    expect(request.webSearch).toBeUndefined();
    expect(request.tools).toMatchObject([{ name: "google_search" }]);
  });

  test("[A4.3-10] a function named WebSearch is an ordinary tool", () => {
    const request = read({ tools: [functionTool("WebSearch")] });

    expect(request.webSearch).toBeUndefined();
    expect(request.tools).toMatchObject([{ name: "WebSearch" }]);
  });

  test("a choice of it is only sent if the tool is sent", () => {
    const fields = {
      tools: [functionTool("f"), functionTool("vendorSearch")],
      tool_choice: functionTool("vendorSearch"),
    };

    expect(read(fields).toolChoice).toBeUndefined();
    expect(again(fields)).toEqual([fields, []]);
  });

  test("a disabled search is not requested", () => {
    expect(read({ parameters: { enable_search: false } }).webSearch).toBeUndefined();
  });

  test("other tools of the vendor are sent unchanged to upstreams of its native style", () => {
    const fields = {
      extra_body: {
        brand: { tools: [{ vendorSearch: {}, urlContext: {} }, { codeExecution: {} }] },
      },
    };

    expect(read(fields)).toMatchObject({
      webSearch: {},
      extra: { gemini: { tools: [{ urlContext: {} }, { codeExecution: {} }] } },
    });
    expect(again(fields)).toEqual([fields, []]);
  });

  test("[A4.3-05] a reasoning level can be set beside it", () => {
    expect(
      read({
        generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } },
        extra_body: { brand: { tools: [{ vendorSearch: {} }] } },
      }),
    ).toMatchObject({ webSearch: {}, reasoning: { effort: "low" } });
  });

  test("[A4.3-05] no level is sent if the client sets none: the vendor's default is HIGH", () => {
    expect(read({ generationConfig: { thinkingConfig: {} } }).reasoning).toBeUndefined();
  });
});

describe("[A4.3-10] a search is only requested from vendors that have one", () => {
  const place = { country: "CH", region: "BE", city: "Bern", timezone: "Europe/Zurich" };
  const all = {
    contextSize: "low",
    location: place,
    maxUses: 2,
    allowedDomains: ["a.example"],
    blockedDomains: ["b.example"],
  } as const;
  const NARROW = [
    "web_search.max_uses",
    "web_search.allowed_domains",
    "web_search.blocked_domains",
  ];

  test.each<[string, ChatRequest["webSearch"], ChatDialect, JsonObject, string[]]>([
    ["a model without it", all, {}, {}, ["web_search"]],
    [
      "one with options",
      all,
      { webSearch: { as: "options" } },
      {
        web_search_options: {
          search_context_size: "low",
          user_location: { type: "approximate", approximate: place },
        },
      },
      NARROW,
    ],
    [
      "one with a switch",
      all,
      { webSearch: { as: "switch" } },
      { enable_search: true },
      [...NARROW, "web_search.search_context_size", "web_search.user_location"],
    ],
    [
      "one with a switch, asked for no more",
      {},
      { webSearch: { as: "switch" } },
      { enable_search: true },
      [],
    ],
    ["nobody asked", undefined, { webSearch: { as: "options" } }, {}, []],
  ])("%s", (_who, search, dialect, body, lost) => {
    expect(searched(search, dialect)).toEqual([body, lost]);
  });

  test("and from those models of a vendor that support it", () => {
    const dialect: ChatDialect = { webSearch: { as: "options", models: /-search/ } };

    expect(searched({}, dialect, "x-search-preview")).toEqual([{ web_search_options: {} }, []]);
    expect(searched({}, dialect, "x")).toEqual([{}, ["web_search"]]);
  });
});

describe("[A4.3-07] a family's parameters", () => {
  test("are read into hub fields, and the others are kept", () => {
    const request = read({
      parameters: {
        incremental_output: true,
        enable_search: true,
        search_options: { region: "cn", recency_days: 7 },
        asr_options: { language: "de" },
        temperature: 0.2,
        top_p: 0.5,
      },
    });

    expect(request).toMatchObject({
      sampling: { temperature: 0.2, topP: 0.5 },
      webSearch: { location: { region: "cn" } },
      extra: {
        chat: {
          parameters: { search_options: { recency_days: 7 }, asr_options: { language: "de" } },
        },
      },
    });
  });

  test("[A4.3-13] speech recognition is reported as lost if no upstream supports it", () => {
    const report = new LossReport();
    report.loseForeign(read({ parameters: { asr_options: { language: "de" } } }).extra, "messages");

    expect(report.fields).toEqual(["parameters"]);
  });

  test("a parameter that every vendor applies anyway is not reported as lost", () => {
    expect(
      read({ parameters: { incremental_output: true, temperature: 1 } }).extra,
    ).toBeUndefined();
  });

  test("at the top level take precedence", () => {
    expect(read({ temperature: 1, parameters: { temperature: 0.1 } }).sampling.temperature).toBe(1);
  });

  test.each<[string, JsonObject]>([
    ["alone", { parameters: { temperature: 0.2, enable_search: true } }],
    ["beside the same at the top level", { temperature: 1, parameters: { temperature: 0.2 } }],
    ["with nothing in them", { parameters: {} }],
  ])("are sent as they were written: %s", (_how, fields) => {
    expect(again(fields)).toEqual([fields, []]);
  });
});

describe("[A4.3-14] a vendor's object", () => {
  function refusal(fields: JsonObject): [string | undefined, string] {
    try {
      read(fields);
      return [undefined, ""];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [error.param, error.message];
    }
  }

  test.each([
    [
      "extra_body.brand.thinkingConfig",
      { extra_body: { brand: { thinkingConfig: {} } } },
      "thinking_config",
    ],
    [
      "extra_body.brand.thinking_config.thinkingBudget",
      { extra_body: { brand: { thinking_config: { thinkingBudget: 1 } } } },
      "thinking_budget",
    ],
    [
      "brand.thinking_config.includeThoughts",
      { brand: { thinking_config: { includeThoughts: true } } },
      "include_thoughts",
    ],
  ])("in the vendor's native notation has no effect, and is refused: %s", (param, fields, word) => {
    const [found, message] = refusal(fields);

    expect(found).toBe(param);
    expect(message).toContain(`'${word}'`);
  });

  test.each<[string, JsonObject]>([
    [
      "extra_body.brand.thinking_config.thinking_budget",
      { extra_body: { brand: { thinking_config: { thinking_budget: 1.5 } } } },
    ],
    [
      "brand.thinking_config.thinking_budget",
      { brand: { thinking_config: { thinking_budget: "1" } } },
    ],
  ])("with an invalid number is refused: %s", (param, fields) => {
    expect(refusal(fields)[0]).toBe(param);
  });

  test("is not a client's member of a similar name, which is unchanged", () => {
    const fields = { session: { tools: [{ type: "x", x: {} }] }, provider: { order: ["a"] } };

    expect(read(fields).extra).toEqual({ chat: fields });
    expect(again(fields)).toEqual([fields, []]);
  });
});

import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "#core/chat.ts";
import type { TextStyle } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { across, DIRECTIONS, objectsIn, read, translated, user } from "./cross-hazards.ts";
import { meaningOf } from "./cross-meaning.ts";
import { STYLES } from "./cross-styles.ts";

/** Ways in which converters are known to go wrong, in every direction that each concerns. */
describe.each(DIRECTIONS)(
  "a request from the %s style to the %s style",
  (fromId, toId, from, to) => {
    const ask = (asked: Partial<ChatRequest> & Pick<ChatRequest, "messages">) =>
      across(asked, from, to);

    test("has only requested settings, and a limit if one is required", () => {
      const { body, lost } = ask({ messages: [user("hi")] });
      // A caller of this style had to say it.
      const isSaid = fromId === "messages";
      const required: Readonly<Record<string, readonly string[]>> = {
        chat: ["messages", "model", ...(isSaid ? ["max_tokens"] : [])],
        responses: ["input", "model", "store", ...(isSaid ? ["max_output_tokens"] : [])],
        messages: ["max_tokens", "messages", "model"],
        gemini: ["contents", ...(isSaid ? ["generationConfig"] : [])],
      };

      expect(Object.keys(body).toSorted()).toEqual([...(required[toId] ?? [])].toSorted());
      expect(lost).toEqual([]);
    });

    test("keeps both the text and the calls of one message", () => {
      const { body } = ask({
        messages: [user("hi"), calling("Let me look.", ["a"]), ...resultsOf(["a"])],
        tools: [TOOL],
      });

      expect(JSON.stringify(body)).toContain("Let me look.");
      expect(callsIn(body)).toEqual([{ name: "look", args: { at: "a" } }]);
    });

    test.each(["auto", "none", "required"] as const)("keeps the choice of a tool: %s", (mode) => {
      const { body, lost } = ask({ messages: [user("hi")], tools: [TOOL], toolChoice: { mode } });
      const words: Readonly<Record<string, Readonly<Record<typeof mode, Json>>>> = {
        chat: { auto: "auto", none: "none", required: "required" },
        responses: { auto: "auto", none: "none", required: "required" },
        messages: { auto: { type: "auto" }, none: { type: "none" }, required: { type: "any" } },
        gemini: {
          auto: { functionCallingConfig: { mode: "AUTO" } },
          none: { functionCallingConfig: { mode: "NONE" } },
          required: { functionCallingConfig: { mode: "ANY" } },
        },
      };

      expect(body["tool_choice"] ?? body["toolConfig"]).toEqual(words[toId]?.[mode]);
      expect(lost).toEqual([]);
    });

    test("keeps the choice of one specific tool", () => {
      const toolChoice = { mode: "named", name: "look", kind: "function" } as const;
      const { body } = ask({ messages: [user("hi")], tools: [TOOL, OTHER_TOOL], toolChoice });
      const words: Readonly<Record<string, Json>> = {
        chat: { type: "function", function: { name: "look" } },
        responses: { type: "function", name: "look" },
        messages: { type: "tool", name: "look" },
        gemini: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } },
      };

      expect(body["tool_choice"] ?? body["toolConfig"]).toEqual(words[toId] ?? null);
    });

    if (fromId !== "responses") {
      test.each([0, 1, 3, 4, 5, 6])(
        "has up to %d stop sequences, and reports those beyond the limit",
        (count) => {
          const most: Readonly<Record<string, number>> = {
            chat: 4,
            responses: 0,
            messages: 6,
            gemini: 5,
          };
          const stop = Array.from({ length: count }, (_, at) => `stop${at}`);
          const wire = wireWithStops(fromId, stop);
          const { body, lost } = translated(wire, from, to);
          const kept = stop.slice(0, most[toId]);

          expect(
            body["stop"] ??
              body["stop_sequences"] ??
              memberOf(body["generationConfig"], "stopSequences") ??
              [],
          ).toEqual(kept);
          expect(lost.includes("stop")).toBe(kept.length < count);
        },
      );
    }

    if (fromId === "chat" || fromId === "gemini") {
      test("has the requested number of choices, or is refused", () => {
        const asked = (): JsonObject => ask({ messages: [user("hi")], choices: 2 }).body;

        if (toId === "responses" || toId === "messages")
          expect(asked).toThrow("'n' cannot be carried");
        else
          expect(asked()["n"] ?? memberOf(asked()["generationConfig"], "candidateCount")).toBe(2);
      });
    }

    test("reports a failed tool to the model", () => {
      const { body } = ask({
        messages: [user("hi"), calling("", ["a"]), ...resultsOf(["a"], true)],
        tools: [TOOL],
      });
      const told: Readonly<Record<string, string>> = {
        chat: '"Error: saw a"',
        responses: '"Error: saw a"',
        // Not every style says it in more than words.
        messages: fromId === "gemini" ? '"is_error":true' : "saw a",
        gemini: fromId === "messages" ? '{"error":"saw a"}' : "saw a",
      };

      expect(JSON.stringify(body)).toContain(told[toId] ?? "?");
    });

    test("has for each of two calls of one tool its own result, in order", () => {
      const { body } = ask({
        messages: [user("hi"), calling("", ["a", "b", "c"]), ...resultsOf(["c", "a", "b"])],
        tools: [TOOL],
      });
      const { runs } = meaningOf(read(to, body, false));
      const results = runs.flatMap((run) => run.results);

      expect(runs.flatMap(({ calls }) => calls.map(({ args }) => memberOf(args, "at")))).toEqual([
        "a",
        "b",
        "c",
      ]);
      expect(results.map(({ call, text }) => [call, text])).toEqual([
        [0, "sawa"],
        [1, "sawb"],
        [2, "sawc"],
      ]);
    });

    test("has a name at every result, and a valid id at every call", () => {
      const long = `call_${"x".repeat(3_000)}`;
      const asked = [
        user("hi"),
        callingAs([long, "a b/c"]),
        resultAs(long),
        resultAs("a b/c"),
        user("so?"),
      ];
      const { body } = ask({ messages: asked, tools: [TOOL] });
      const ids = objectsIn(body).flatMap((one) =>
        [one["id"], one["tool_call_id"], one["call_id"], one["tool_use_id"]].filter(
          (id) => typeof id === "string",
        ),
      );
      const fits: Readonly<Record<string, RegExp>> = {
        chat: /^.{1,40}$/,
        responses: /^.{1,64}$/,
        messages: /^[a-zA-Z0-9_-]+$/,
        gemini: /./,
      };

      expect(ids.filter((id) => !fits[toId]?.test(id))).toEqual([]);
      expect(
        objectsIn(body)
          .filter((one) => "response" in one)
          .every(({ name }) => name === "look"),
      ).toBe(true);
    });

    test("keeps a tool result that resembles a schema as text", () => {
      const said = '{"$ref":"#/$defs/X","$defs":{"X":{"type":"object"}}}';
      const { body } = ask({
        messages: [user("hi"), calling("", ["a"]), resultSaying("a", said)],
        tools: [TOOL],
      });

      expect(objectsIn(body).some((one) => "$ref" in one)).toBe(false);
      expect(JSON.stringify(body)).toContain(JSON.stringify(said));
    });

    test("keeps the images of a tool result", () => {
      const picture: Block = {
        type: "image",
        mediaType: "image/png",
        source: { kind: "data", base64: PNG },
      };
      const result: Message = {
        role: "tool",
        blocks: [
          {
            type: "tool_result",
            callId: "call_a",
            blocks: [{ type: "text", text: "see" }, picture],
          },
        ],
      };
      const { body, lost } = ask({
        messages: [user("hi"), calling("", ["a"]), result, user("so?")],
        tools: [TOOL],
      });

      expect(JSON.stringify(body)).toContain(PNG);
      expect(lost).toEqual([]);
    });

    test("keeps image links as links", () => {
      const picture: Block = {
        type: "image",
        source: { kind: "url", url: "https://a.example/1.png" },
      };
      const { body } = ask({
        messages: [{ role: "user", blocks: [{ type: "text", text: "what?" }, picture] }],
      });

      expect(JSON.stringify(body)).toContain('"https://a.example/1.png"');
      expect(JSON.stringify(body)).not.toContain("base64");
    });

    if (fromId === "chat" || fromId === "messages") {
      test("has cache marks only if the upstream supports them", () => {
        const part = { type: "text", text: "long", cache_control: { type: "ephemeral" } };
        const wire = { model: "m", max_tokens: 50, messages: [{ role: "user", content: [part] }] };
        const { body, lost } = translated(wire, from, to);
        const isKept = toId === "messages";

        expect(JSON.stringify(body).includes("cache_control")).toBe(isKept);
        expect(lost.includes("cache_control")).toBe(!isKept);
      });
    }

    test("[A4.3-09] keeps the response format", () => {
      const schema = { type: "object", properties: { x: { type: "string" } }, required: ["x"] };
      const { body } = ask({
        messages: [user("hi")],
        format: { type: "json_schema", name: "answer", schema },
      });
      const { format } =
        body["text"] === undefined
          ? { format: undefined }
          : { format: memberOf(body["text"], "format") };
      const places: Readonly<Record<string, Json | undefined>> = {
        chat: memberOf(memberOf(body["response_format"], "json_schema"), "schema"),
        responses: memberOf(format, "schema"),
        messages: memberOf(memberOf(body["output_config"], "format"), "schema"),
        gemini: memberOf(body["generationConfig"], "responseSchema"),
      };

      // In one style types are written large.
      const text = JSON.stringify(places[toId]).toLowerCase();
      expect(text).toContain('"x":{"type":"string"}');
      expect(text).toContain('"required":["x"]');
      if (toId === "responses") expect(textOf(memberOf(format, "name"))).toMatch(/./);
    });

    test("answers calls in the history also if no tools are declared any more", () => {
      const { body } = ask({
        messages: [user("hi"), calling("", ["a"]), ...resultsOf(["a"]), user("thanks")],
      });

      expect(callsIn(body)).toHaveLength(1);
      if (toId === "messages") {
        expect(body["tools"]).toMatchObject([{ name: "look", input_schema: { type: "object" } }]);
        expect(body["tool_choice"]).toEqual({ type: "none" });
      }
    });

    if (fromId !== "gemini") {
      test("keeps the limit of one call at a time with any other tool choice", () => {
        const { body, lost } = ask({
          messages: [user("hi")],
          tools: [TOOL],
          parallelToolCalls: false,
        });

        expect(
          body["parallel_tool_calls"] === false ||
            memberOf(body["tool_choice"], "disable_parallel_tool_use") === true ||
            lost.includes("parallel_tool_calls"),
        ).toBe(true);
      });
    }

    test("keeps a function without parameters", () => {
      const { body } = ask({ messages: [user("hi")], tools: [{ kind: "function", name: "now" }] });
      const tool = objectsIn(body["tools"]).find(({ name }) => name === "now");
      const schema =
        tool?.["input_schema"] ?? tool?.["parameters"] ?? tool?.["parametersJsonSchema"];

      // One vendor refuses an empty object, another one nothing at all.
      if (toId === "gemini") expect(schema).toBeUndefined();
      if (toId === "messages" || toId === "responses")
        expect(schema).toEqual({ type: "object", properties: {} });
    });

    test("has instructions first, and is valid with instructions only", () => {
      const system: Message = { role: "system", blocks: [{ type: "text", text: "Be brief." }] };
      const both = ask({ messages: [system, user("hi")] }).body;
      const alone = ask({ messages: [system] }).body;
      const places: Readonly<Record<string, Json>> = {
        chat: { role: "system", content: "Be brief." },
        responses: "Be brief.",
        messages: "Be brief.",
        gemini: { parts: [{ text: "Be brief." }] },
      };
      const said =
        toId === "chat"
          ? listOf(both["messages"])[0]
          : (both["instructions"] ?? both["system"] ?? both["systemInstruction"]);

      expect(said).toEqual(places[toId] ?? null);
      expect(JSON.stringify(alone["messages"] ?? alone["input"] ?? alone["contents"])).toContain(
        "Be brief.",
      );
    });

    if (fromId === "chat" || fromId === "responses") {
      test("keeps later instructions in place", () => {
        const later: Message = {
          role: "system",
          blocks: [{ type: "text", text: "Now in French." }],
        };
        const { body } = ask({ messages: [user("one"), calling("two", []), later, user("three")] });
        const order = JSON.stringify(body).match(/one|two|Now in French|three/g);

        expect(order).toEqual(["one", "two", "Now in French", "three"]);
      });
    }
  },
);

/** Facts that only one style can state are written in it. */
describe("a chat request", () => {
  test.each(STYLES.slice(1).map(({ style }) => [style.id, style] as const))(
    "with developer messages, and users in parts and strings, is translated to the %s style",
    (id, to) => {
      const wire = {
        model: "m",
        messages: [
          { role: "developer", content: [{ type: "text", text: "Be brief." }] },
          { role: "user", content: "one" },
          { role: "user", content: [{ type: "text", text: "two" }] },
          { role: "user", content: "three" },
        ],
      };
      const { body } = translated(wire, chat, to);
      const turns = listOf(body["messages"] ?? body["contents"]);

      expect(JSON.stringify(body).match(/Be brief|one|two|three/g)).toEqual(
        id === "messages" || id === "gemini"
          ? expect.arrayContaining(["one", "two", "three", "Be brief"])
          : ["Be brief", "one", "two", "three"],
      );
      if (id !== "responses") expect(turns.map((turn) => memberOf(turn, "role"))).toEqual(["user"]);
    },
  );

  test.each(STYLES.slice(1).map(({ style }) => [style.id, style] as const))(
    "with functions of the older form calls them in the %s style",
    (_, to) => {
      const wire = {
        model: "m",
        functions: [{ name: "look", parameters: TOOL.parameters }],
        function_call: { name: "look" },
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: null,
            function_call: { name: "look", arguments: '{"at":"a"}' },
          },
          { role: "function", name: "look", content: "saw a" },
          { role: "user", content: "again" },
        ],
      };
      const { body } = translated(wire, chat, to);

      expect(callsIn(body)).toEqual([{ name: "look", args: { at: "a" } }]);
      expect(meaningOf(read(to, body, false)).runs.flatMap(({ results }) => results)).toEqual([
        { call: 0, text: "sawa" },
      ]);
      expect(objectsIn(body["tools"]).some(({ name }) => name === "look")).toBe(true);
    },
  );

  test("with a document as data, but not in base64, has it in the vendors' form", () => {
    const file = { filename: "a.txt", file_data: "data:text/plain,caf%C3%A9%20au%20lait" };
    const wire = { model: "m", messages: [{ role: "user", content: [{ type: "file", file }] }] };
    const dataOf = (style: TextStyle): unknown =>
      objectsIn(translated(wire, chat, style).body)
        .map((one) => one["data"])
        .find((one) => typeof one === "string");

    expect(dataOf(messages)).toBe("café au lait");
    expect(Buffer.from(String(dataOf(gemini)), "base64").toString()).toBe("café au lait");
  });

  test("gets no temperature that the messages style does not have", () => {
    const wire = { model: "m", temperature: 1.7, messages: [{ role: "user", content: "hi" }] };
    const { body, lost } = translated(wire, chat, messages);

    expect([body["temperature"], lost]).toEqual([1, ["temperature"]]);
  });

  test("with an image of another type than stated is accepted by a vendor of the messages style", () => {
    const url = `data:image/jpeg;base64,${PNG}`;
    const wire = {
      model: "m",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    };

    expect(JSON.stringify(translated(wire, chat, messages).body)).toContain(
      '"media_type":"image/png"',
    );
  });

  test.each([
    ["messages", messages],
    ["gemini", gemini],
    ["responses", responses],
  ] as const)(
    "with an image of a type that the %s style does not support is refused, or the image is sent",
    (id, to) => {
      const url = `data:image/heic;base64,AAAAGGZ0eXBoZWlj`;
      const wire = {
        model: "m",
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
      };

      if (id === "messages") expect(() => translated(wire, chat, to)).toThrow("messages[0]");
      else expect(JSON.stringify(translated(wire, chat, to).body)).toContain("AAAAGGZ0eXBoZWlj");
    },
  );

  test("and a responses request keep arguments unchanged, including large numbers and the order of names", () => {
    const written = '{"z": 12345678901234567890,  "a": 1.0}';
    const call = { id: "call_a", type: "function", function: { name: "look", arguments: written } };
    const wire = {
      model: "m",
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_a", content: "ok" },
      ],
    };
    const { body } = translated(wire, chat, responses);

    expect(objectsIn(body).find(({ type }) => type === "function_call")?.["arguments"]).toBe(
      written,
    );
    expect(JSON.stringify(translated(body, responses, chat).body)).toContain(
      JSON.stringify(written),
    );
  });
});

describe("a messages request", () => {
  test.each(
    STYLES.filter(({ style }) => style !== messages).map(({ style }) => [style.id, style] as const),
  )("with a long user id does not send it to the %s style", (_, to) => {
    const user_id = JSON.stringify({ device: "d".repeat(300), session: "s" });
    const wire = {
      model: "m",
      max_tokens: 50,
      metadata: { user_id },
      messages: [{ role: "user", content: "hi" }],
    };
    const { body, lost } = translated(wire, messages, to);

    expect(JSON.stringify(body)).not.toContain("dddd");
    expect(lost).toEqual(["user"]);
  });

  test.each([
    ["chat", chat],
    ["responses", responses],
    ["gemini", gemini],
  ] as const)("with results and text in one message keeps their order in the %s style", (_, to) => {
    const wire = {
      model: "m",
      max_tokens: 50,
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [use("a"), use("b")] },
        { role: "user", content: [given("a"), given("b"), { type: "text", text: "go on" }] },
      ],
    };
    const { body } = translated(wire, messages, to);

    expect(JSON.stringify(body).match(/saw a|saw b|go on/g)).toEqual(["saw a", "saw b", "go on"]);
  });

  test.each([
    ["chat", chat, undefined],
    ["responses", responses, { type: "web_search" }],
    ["gemini", gemini, undefined],
  ] as const)(
    "with a choice of the vendor's search chooses no function of that name in the %s style",
    (_, to, choice) => {
      const wire = {
        model: "m",
        max_tokens: 50,
        messages: [{ role: "user", content: "hi" }],
        tools: [
          { type: "web_search_20250305", name: "web_search" },
          { name: "look", input_schema: { type: "object", properties: {} } },
        ],
        tool_choice: { type: "tool", name: "web_search" },
      };
      const { body, lost } = translated(wire, messages, to);

      expect(body["tool_choice"] ?? body["toolConfig"]).toEqual(choice);
      expect(lost.includes("tool_choice")).toBe(choice === undefined);
    },
  );

  test("gets no reasoning if the conversation's calls lack their thinking", () => {
    const wire = {
      model: "m",
      reasoning_effort: "high",
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "ok" },
      ],
    };
    const { body, lost } = translated(wire, chat, messages, {
      reasoningControls: { budget: { minTokens: 1_024 } },
    });

    expect([body["thinking"], lost.includes("reasoning")]).toEqual([{ type: "disabled" }, true]);
  });
});

describe("a native request", () => {
  test.each(STYLES.slice(0, 3).map(({ style }) => [style.id, style] as const))(
    "with calls without ids gets the same ids for the %s style each time, another for each call",
    (_, to) => {
      const calls = ["a", "b"].map((at) => ({ functionCall: { name: "look", args: { at } } }));
      const answers = ["a", "b"].map((at) => ({
        functionResponse: { name: "look", response: { output: `saw ${at}` } },
      }));
      const wire = {
        contents: [
          { role: "user", parts: [{ text: "hi" }] },
          { role: "model", parts: calls },
          { role: "user", parts: answers },
          { role: "model", parts: calls },
          { role: "user", parts: answers },
        ],
      };
      const { body } = translated(wire, gemini, to);
      const { runs } = meaningOf(read(to, body, false));

      expect(body).toEqual(translated(wire, gemini, to).body);
      expect(runs.flatMap(({ results }) => results)).toEqual([
        { call: 0, text: "sawa" },
        { call: 1, text: "sawb" },
        { call: 2, text: "sawa" },
        { call: 3, text: "sawb" },
      ]);
    },
  );
});

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";

const TOOL = {
  kind: "function" as const,
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { at: { type: "string" } } },
};
const OTHER_TOOL = { ...TOOL, name: "listen" };

function calling(text: string, places: readonly string[]): Message {
  const said: Block[] = text === "" ? [] : [{ type: "text", text }];
  return {
    role: "assistant",
    blocks: [...said, ...places.map((at): Block => callOf(`call_${at}`, { at }))],
  };
}

function callingAs(ids: readonly string[]): Message {
  return { role: "assistant", blocks: ids.map((id) => callOf(id, {})) };
}

function callOf(id: string, args: JsonObject): Block {
  return { type: "tool_call", id, name: "look", arguments: JSON.stringify(args), kind: "function" };
}

function resultsOf(places: readonly string[], isError = false): readonly Message[] {
  return places.map((at) => ({
    role: "tool",
    blocks: [
      {
        type: "tool_result",
        callId: `call_${at}`,
        blocks: [{ type: "text", text: `saw ${at}` }],
        ...(isError ? { isError } : {}),
      },
    ],
  }));
}

function resultAs(callId: string): Message {
  return {
    role: "tool",
    blocks: [{ type: "tool_result", callId, blocks: [{ type: "text", text: "ok" }] }],
  };
}

function resultSaying(at: string, text: string): Message {
  return {
    role: "tool",
    blocks: [{ type: "tool_result", callId: `call_${at}`, blocks: [{ type: "text", text }] }],
  };
}

/** Calls of any style's request, as they stand in it. */
function callsIn(body: JsonObject): readonly Json[] {
  return objectsIn(body).flatMap((one): Json[] => {
    const { function: called, functionCall, type, name, input, arguments: args } = one;
    if (isObject(called) && "arguments" in called)
      return [{ name: called["name"] ?? null, args: parsed(called["arguments"]) }];
    if (isObject(functionCall))
      return [{ name: functionCall["name"] ?? null, args: functionCall["args"] ?? null }];
    if (type === "function_call") return [{ name: name ?? null, args: parsed(args) }];
    return type === "tool_use" ? [{ name: name ?? null, args: input ?? null }] : [];
  });
}

function parsed(args: Json | undefined): Json {
  const json: Json = JSON.parse(textOf(args) ?? "null");
  return json;
}

function use(at: string): JsonObject {
  return { type: "tool_use", id: `toolu_${at}`, name: "look", input: { at } };
}

function given(at: string): JsonObject {
  return { type: "tool_result", tool_use_id: `toolu_${at}`, content: `saw ${at}` };
}

function wireWithStops(id: string, stop: readonly string[]): JsonObject {
  switch (id) {
    case "messages":
      return {
        model: "m",
        max_tokens: 50,
        messages: [{ role: "user", content: "hi" }],
        stop_sequences: stop,
      };
    case "gemini":
      return {
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
        generationConfig: { stopSequences: stop },
      };
    default:
      return { model: "m", messages: [{ role: "user", content: "hi" }], stop };
  }
}

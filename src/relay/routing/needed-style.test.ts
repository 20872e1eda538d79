import { describe, expect, test } from "bun:test";
import type { RequestRules } from "#core/model.ts";
import type { ReasoningControls } from "#core/reasoning.ts";
import { findProvider } from "#providers/index.ts";
import { aCall } from "#test/a-call.ts";
import { aChannel } from "#test/a-channel.ts";
import type { JsonObject } from "#lib/json.ts";
import { mayNeedStyle, neededStyle } from "./needed-style.ts";
import type { Candidate } from "./route.ts";

const TOOLS = [{ type: "function", function: { name: "find" } }];
const SEARCH = { web_search_options: {} };

interface Given {
  readonly needs?: RequestRules["needsStyle"];
  /** The option of the channel. */
  readonly responses?: string;
  readonly controls?: ReasoningControls;
  readonly provider?: string;
  readonly steering?: Candidate["steering"];
}

function candidateWith({ needs, responses, controls, provider: id, steering }: Given): Candidate {
  const provider = findProvider(id ?? "openai-compatible");
  if (provider === undefined) throw new Error("A provider was expected.");
  return {
    channel: aChannel(responses === undefined ? {} : { options: { responses } }),
    provider,
    upstreamModel: "m",
    price: undefined,
    traits: {
      ...(needs === undefined ? {} : { rules: { needsStyle: needs } }),
      ...(controls === undefined ? {} : { reasoningControls: controls }),
    },
    suffixes: [],
    ...(steering === undefined ? {} : { steering }),
  };
}

function neededFor(given: Given, fields: JsonObject = {}, usual = "chat") {
  return neededStyle(candidateWith(given), aCall(fields), usual);
}

describe("a style may be needed", () => {
  test("by a rule of the model, or by an option of the channel", () => {
    expect(mayNeedStyle(candidateWith({ needs: {} }))).toBe(true);
    expect(mayNeedStyle(candidateWith({ responses: "tools" }))).toBe(true);
  });

  test("by neither of them", () => {
    expect(mayNeedStyle(candidateWith({}))).toBe(false);
    expect(mayNeedStyle(candidateWith({ responses: "tools", provider: "openai" }))).toBe(false);
  });
});

describe("a call needs no other style", () => {
  test("if nothing of the model or channel requires one", () => {
    expect(neededFor({}, { tools: TOOLS })).toBeUndefined();
    expect(neededFor({ responses: "tools", provider: "openai" }, { tools: TOOLS })).toBeUndefined();
  });

  test("if it does not have the feature", () => {
    expect(neededFor({ needs: { tools: "responses", web_search: "responses" } })).toBeUndefined();
  });

  test("if it is sent in that style anyway, for which it is not read", () => {
    const { style, body } = aCall();
    const wantsOf = () => {
      throw new Error("The call was read.");
    };
    const unread = { ...style, inbound: { ...style.inbound, wantsOf } };
    const candidate = candidateWith({ needs: { any: "responses" } });

    expect(neededStyle(candidate, { style: unread, body }, "responses")).toBeUndefined();
    expect(() => neededStyle(candidate, { style: unread, body }, "chat")).toThrow("was read");
  });
});

describe("a call needs the style", () => {
  test("that the model requires for every call", () => {
    expect(neededFor({ needs: { any: "responses" } })).toEqual({
      style: "responses",
      feature: "any",
    });
  });

  test("that the model requires for tools, or for a search", () => {
    const needs = { tools: "responses", web_search: "messages" };

    expect(neededFor({ needs }, { tools: TOOLS })).toEqual({
      style: "responses",
      feature: "tools",
    });
    expect(neededFor({ needs }, SEARCH)).toEqual({ style: "messages", feature: "web_search" });
    expect(neededFor({ needs }, { ...SEARCH, tools: TOOLS })?.feature).toBe("tools");
  });

  test("that the channel's option names, before that of the model", () => {
    const given = { needs: { tools: "messages" }, responses: "tools" };

    expect(neededFor({ responses: "tools" }, { tools: TOOLS })?.style).toBe("responses");
    expect(neededFor(given, { tools: TOOLS })?.style).toBe("responses");
  });

  test("for tools, unless the model can and shall answer without reasoning", () => {
    const needs = { tools: "responses" };
    const off = { tools: TOOLS, reasoning_effort: "none" };

    expect(neededFor({ needs, controls: { toggle: true } }, off)).toBeUndefined();
    expect(neededFor({ needs, controls: { efforts: ["low"] } }, off)?.feature).toBe("tools");
    expect(
      neededFor(
        { needs, controls: { toggle: true }, steering: { enabled: false } },
        { tools: TOOLS },
      ),
    ).toBeUndefined();
  });

  test("for the highest effort, and not for a lower one", () => {
    const needs = { effort_max: "responses" };
    const controls: ReasoningControls = { efforts: ["low", "high", "max"] };

    expect(neededFor({ needs, controls }, { reasoning_effort: "max" })?.feature).toBe("effort_max");
    expect(neededFor({ needs, controls, steering: { effort: "max" } })?.feature).toBe("effort_max");
    expect(neededFor({ needs, controls }, { reasoning_effort: "high" })).toBeUndefined();
    expect(neededFor({ needs, controls })).toBeUndefined();
  });

  test("for the client's own effort instead of that of the model's name", () => {
    const needs = { effort_max: "responses" };
    const controls: ReasoningControls = { efforts: ["low", "high", "max"] };

    expect(
      neededFor({ needs, controls, steering: { effort: "max" } }, { reasoning_effort: "low" }),
    ).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { flagOf, numberOf, textOf } from "#lib/values.ts";
import {
  fieldReader,
  fieldWriter,
  member,
  type CarriedGroup,
  type FieldTable,
  type HubField,
  type Writing,
  type WrittenTable,
} from "./request-fields.ts";

const TOOLS: CarriedGroup<"toolChoice" | "parallelToolCalls", Writing> = {
  fields: { toolChoice: true, parallelToolCalls: true },
  members: ["choice"],
  parse: ({ choice }) => ({
    values: choice === "one" ? { parallelToolCalls: false } : {},
    rest: { choice: choice === "odd" ? choice : undefined },
  }),
  build: ({ toolChoice, parallelToolCalls }) => ({
    members: { choice: parallelToolCalls === false ? "one" : toolChoice?.mode },
    lost: toolChoice?.mode === "none" ? ["tool_choice"] : [],
  }),
};

const LOST = { lost: { as: "something" } };

const FIELDS = {
  temperature: {
    members: ["temperature", "heat"],
    parse: ({ temperature, heat }) => numberOf(temperature) ?? numberOf(heat),
    build: (temperature) => ({
      members: { temperature: Math.min(temperature, 1) },
      lost: temperature > 1 ? ["temperature"] : [],
    }),
  },
  seed: { ...member("seed", numberOf), isRebuilt: true },
  user: {
    members: ["user"],
    moreMembers: (body) => Object.keys(body).filter((name) => name.startsWith("user_")),
    parse: ({ user }) => textOf(user),
    build: (user) => ({ members: { user } }),
  },
  topK: { lost: { as: "top_k", unless: (topK) => topK < 1 } },
  choices: {
    refused: { as: "n", why: (n) => `${n} are too many.`, unless: (choices) => choices <= 1 },
  },
  toolChoice: { group: TOOLS },
  parallelToolCalls: { group: TOOLS },
  topP: LOST,
  presencePenalty: LOST,
  frequencyPenalty: LOST,
  maxOutputTokens: LOST,
  stop: LOST,
  tools: LOST,
  format: LOST,
  reasoning: LOST,
  logprobs: LOST,
  modalities: LOST,
  imageOptions: LOST,
  webSearch: LOST,
  metadata: LOST,
} satisfies FieldTable<Writing>;

const read = fieldReader(FIELDS, {
  structural: ["model", "messages"],
  kept: ["store"],
  rest: ({ store }) => ({ "store.kind": flagOf(store) === undefined ? store : undefined }),
});
const write = fieldWriter<Writing, Record<string, Json | undefined>>(FIELDS);

function written(
  request: Partial<ChatRequest>,
  raw?: JsonObject,
): { readonly body: JsonObject; readonly lost: readonly string[] } {
  const report = new LossReport();
  const body: Record<string, Json | undefined> = {};
  write(
    { model: "m", messages: [], stream: false, sampling: {}, ...request },
    { report, raw },
    body,
  );
  return { body, lost: report.fields };
}

describe("a body is read by the rows of its style", () => {
  test("fields become hub fields, and sampling settings one member of the hub", () => {
    expect(read({ heat: 0.3, user: "u", choice: "one" }).fields).toEqual({
      sampling: { temperature: 0.3 },
      user: "u",
      parallelToolCalls: false,
    });
  });

  test("known members are kept as written, and all others separately", () => {
    const { raw, rest } = read({
      model: "m",
      messages: [],
      heat: 0.3,
      user_7: 1,
      store: true,
      other: [1],
      empty: null,
    });

    expect(raw).toEqual({ heat: 0.3, user_7: 1, store: true });
    expect(rest).toEqual({ other: [1] });
  });

  test("additional data of a known member is reported by its row", () => {
    expect(read({ choice: "odd", store: "here" }).rest).toEqual({
      choice: "odd",
      "store.kind": "here",
    });
    expect(read({ choice: "one", store: true }).rest).toBeUndefined();
  });
});

describe("a request is written by the rows of its upstream", () => {
  test("each field by its row, and a group once", () => {
    expect(
      written({ sampling: { temperature: 0.5, seed: 7 }, toolChoice: { mode: "auto" } }),
    ).toEqual({ body: { temperature: 0.5, seed: 7, choice: "auto" }, lost: [] });
  });

  test("a value that a row cannot write is reported, in part or as a whole", () => {
    const { body, lost } = written({
      sampling: { temperature: 1.5, topK: 3 },
      toolChoice: { mode: "none" },
    });

    expect(body).toEqual({ temperature: 1, choice: "none" });
    expect(lost).toEqual(["temperature", "top_k", "tool_choice"]);
  });

  test("a default value is no loss, and no reason to refuse", () => {
    expect(written({ sampling: { topK: 0 }, choices: 1 })).toEqual({ body: {}, lost: [] });
  });

  test("a field whose loss would change the result is refused", () => {
    expect(() => written({ choices: 2 })).toThrow("'n' cannot be carried: 2 are too many.");
  });
});

describe("a request in the upstream's style is sent as its client wrote it", () => {
  test("as long as it has the request's meaning", () => {
    const raw = { heat: 1.5, user: "u", user_7: 1 };

    expect(written({ sampling: { temperature: 1.5 }, user: "u" }, raw).body).toEqual(raw);
  });

  test("including members without a hub field", () => {
    expect(written({}, { user_7: 1, heat: "much" }).body).toEqual({ user_7: 1, heat: "much" });
  });

  test("but without changed or removed values", () => {
    const raw = { heat: 0.5, user: "u" };

    expect(written({ sampling: { temperature: 0.1 } }, raw).body).toEqual({ temperature: 0.1 });
  });

  test("and not if the style always rewrites the field", () => {
    expect(written({ sampling: {} }, { seed: "odd" }).body).toEqual({});
    expect(written({ sampling: { seed: 1 } }, { seed: 1 }).body).toEqual({ seed: 1 });
  });
});

describe("a hub field cannot be omitted", () => {
  const { seed: _, ...withoutSeed } = FIELDS;

  test("a table without a row for it does not compile", () => {
    // @ts-expect-error a style that says nothing of seeds
    const forStyle: FieldTable<Writing> = withoutSeed;
    // @ts-expect-error the same of an upstream that is only written to
    const forAdapter: WrittenTable<Writing, object> = withoutSeed;

    expect([forStyle, forAdapter]).toHaveLength(2);
  });

  test("nor does one without a row for a new hub field", () => {
    // @ts-expect-error `added` has no row
    const table: FieldTable<Writing> & Readonly<Record<HubField | "added", object>> = FIELDS;

    expect(table).toBeDefined();
  });

  test("nor does a row that reads a value of another type, or joins a group of other fields", () => {
    // @ts-expect-error a seed is a number
    const wrongType: FieldTable<Writing> = { ...FIELDS, seed: member("seed", textOf) };
    // @ts-expect-error the group does not write seeds
    const wrongGroup: FieldTable<Writing> = { ...FIELDS, seed: { group: TOOLS } };
    // @ts-expect-error neither lost nor refused nor carried
    const noRow: FieldTable<Writing> = { ...FIELDS, seed: {} };

    expect([wrongType, wrongGroup, noRow]).toHaveLength(3);
  });
});

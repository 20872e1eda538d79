import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";
import { cohere } from "./cohere.ts";
import { dashscope } from "./dashscope.ts";
import { jina } from "./jina.ts";
import { tei } from "./tei.ts";
import { voyage } from "./voyage.ts";

const ASKED: JsonObject = { model: "m", query: "q", documents: ["a", "b", "c"] };
const RESULT = { index: 0, relevance_score: 0.5 };

function read(more: JsonObject = {}): RerankRequest {
  return jina.inbound.read({ ...ASKED, ...more }, {});
}

function refusalOf(more: JsonObject): string {
  try {
    read(more);
  } catch (cause) {
    if (cause instanceof GatewayError) return `${cause.code} ${cause.param}: ${cause.message}`;
  }
  return "none";
}

describe("[A4.10] a rerank request", () => {
  test("is read with all its fields", () => {
    expect(read({ top_n: 2, return_documents: true })).toEqual({
      model: "m",
      query: "q",
      documents: ["a", "b", "c"],
      topN: 2,
      withDocuments: true,
    });
  });

  test("ranks all documents and repeats none by default", () => {
    const question = { model: "m", query: "q", documents: ["a", "b", "c"], withDocuments: false };
    expect(read()).toEqual(question);
    expect(read({ top_n: null, return_documents: null })).toEqual(question);
  });

  test("may have the alias for the number of results", () => {
    expect(read({ top_k: 2 })).toMatchObject({ topN: 2 });
    expect(read({ top_k: 2, top_n: 1 })).toMatchObject({ topN: 1 });
    expect(read({ top_k: 2 }).extra).toBeUndefined();
  });

  test("may have documents as objects with a text", () => {
    const { documents } = read({ documents: ["a", { text: "b", title: "t" }] });

    expect(documents).toEqual(["a", "b"]);
  });

  test("may name the document members to read, and their order", () => {
    const documents = [
      { title: "Fox", text: "It runs.", year: 1999, tags: ["a"] },
      "plain",
      { text: "No title." },
    ];
    const rankFields = (...fields: string[]) => read({ documents, rank_fields: fields }).documents;

    expect(rankFields("title", "year", "tags", "text")).toEqual([
      'title: Fox\nyear: 1999\ntags: ["a"]\ntext: It runs.',
      "plain",
      "text: No title.",
    ]);
    expect(rankFields("text")).toEqual(["It runs.", "plain", "No title."]);
    expect(rankFields()).toEqual(["It runs.", "plain", "No title."]);
  });

  const refused: [JsonObject, string][] = [
    [{ documents: [{ text: null }] }, "invalid_request documents[0].text: 'documents[0].text' is"],
    [{ documents: [{ text: "a" }], rank_fields: ["title"] }, "'documents[0].title' is required"],
    [
      { documents: ["a", { text: "b" }], rank_fields: ["title", "constructor"] },
      "invalid_request documents[1]: 'documents[1]' has no member that 'rank_fields' names",
    ],
    [{ rank_fields: "text" }, "'rank_fields' must be a list"],
    [{ rank_fields: [1] }, "'rank_fields[0]' must be a string"],
    [{ max_tokens_per_doc: 0 }, "'max_tokens_per_doc' must be an integer from 1"],
    [{ max_chunks_per_doc: 1.5 }, "'max_chunks_per_doc' must be an integer from 1"],
    [{ overlap_tokens: -1 }, "'overlap_tokens' must be an integer from 0"],
    [{ instruct: ["a"] }, "'instruct' must be a string"],
    [{ truncation: "yes" }, "'truncation' must be true or false"],
    [{ query: "" }, "invalid_request query: 'query' is empty."],
    [{ query: null }, "invalid_request query: 'query' is required."],
    [{ documents: [] }, "invalid_request documents: 'documents' is empty."],
    [{ model: null }, "invalid_request model: 'model' is required."],
    [{ query: ["q"] }, "'query' must be a string"],
    [{ documents: "a" }, "'documents' must be a list"],
    [{ documents: ["a", []] }, "invalid_request documents[1]: 'documents[1]' must be"],
    [{ documents: ["a", 1] }, "invalid_request documents[1]: 'documents[1]' must be"],
    [{ documents: ["a", null] }, "invalid_request documents[1]: 'documents[1]' must be"],
    [{ documents: [{ image: "x" }] }, "'documents[0].text' is required"],
    [{ top_k: 0 }, "'top_k' must be an integer from 1"],
    [{ top_n: 0 }, "invalid_request top_n: 'top_n' must be an integer from 1"],
    [{ top_n: -1 }, "'top_n' must be an integer from 1"],
    [{ top_n: 1.5 }, "'top_n' must be an integer"],
    [{ top_n: "2" }, "'top_n' must be an integer"],
    [{ return_documents: "yes" }, "'return_documents' must be true or false"],
  ];
  test.each(refused)("with %j is refused", (more, message) => {
    expect(refusalOf(more)).toContain(message);
  });
});

describe("[A2.8] a rerank answer", () => {
  const usage = { ...NO_USAGE, inputTokens: 7 };
  const results = [
    { index: 2, score: 0.9 },
    { index: 0, score: 0.1 },
  ];

  test("has the specified members, and those that clients of similar formats read", () => {
    expect(jina.inbound.write({ results, usage }, read())).toEqual({
      model: "m",
      results: [
        { index: 2, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.1 },
      ],
      usage: { total_tokens: 7 },
      meta: {},
    });
  });

  test("repeats the documents of the request on demand", () => {
    const question = read({ documents: ["a", "b", { text: "c" }], return_documents: true });

    expect(jina.inbound.write({ results, usage }, question)["results"]).toEqual([
      { index: 2, relevance_score: 0.9, document: "c" },
      { index: 0, relevance_score: 0.1, document: "a" },
    ]);
  });
});

interface Spoken {
  readonly format: OutboundFormat<RerankRequest, Ranking>;
  readonly built: JsonObject;
  readonly top: JsonObject;
  wrap(results: Json): JsonObject;
  readonly tokens: number | undefined;
}

const FORMATS: readonly Spoken[] = [
  {
    format: jina,
    built: { ...ASKED, return_documents: false },
    top: { ...ASKED, return_documents: false, top_n: 2 },
    wrap: (results) => ({ model: "m", results, usage: { total_tokens: 15 } }),
    tokens: 15,
  },
  {
    format: cohere,
    built: ASKED,
    top: { ...ASKED, top_n: 2 },
    wrap: (results) => ({ id: "x", results, meta: { billed_units: { search_units: 1 } } }),
    // Nobody counted them.
    tokens: 6,
  },
  {
    format: voyage,
    built: ASKED,
    top: { ...ASKED, top_k: 2 },
    wrap: (data) => ({ object: "list", data, model: "m", usage: { total_tokens: 15 } }),
    tokens: 15,
  },
  {
    format: dashscope,
    built: {
      model: "m",
      input: { query: "q", documents: ["a", "b", "c"] },
      parameters: { return_documents: false },
    },
    top: {
      model: "m",
      input: { query: "q", documents: ["a", "b", "c"] },
      parameters: { return_documents: false, top_n: 2 },
    },
    wrap: (results) => ({ output: { results }, usage: { total_tokens: 15 }, request_id: "x" }),
    tokens: 15,
  },
  {
    format: tei,
    // It has no way to be asked for the best alone.
    built: { query: "q", texts: ["a", "b", "c"], raw_scores: false, return_text: false },
    top: { query: "q", texts: ["a", "b", "c"], raw_scores: false, return_text: false },
    wrap: (results) => ({ ranks: asRanks(results) }),
    tokens: undefined,
  },
];

/** Its ranks have another word for scores. */
function asRanks(results: Json): readonly Json[] {
  return listOf(results).map((each) => {
    const { relevance_score: score = null, ...rest } = objectOf(each) ?? {};
    return isObject(each) ? { ...rest, score } : each;
  });
}

describe.each(FORMATS.map((each) => [each.format.id, each] as const))("%s", (_, spoken) => {
  const { outbound } = spoken.format;
  const build = (question: RerankRequest) =>
    outbound.build(question, { report: new LossReport(), model: {} });
  const refusal = (results: Json): unknown => {
    try {
      return outbound.parse(spoken.wrap(results), read());
    } catch (cause) {
      return cause instanceof GatewayError ? cause.code : cause;
    }
  };

  test("requests all documents if all are wanted, or more than there are", () => {
    expect(build(read())).toEqual(spoken.built);
    expect(build(read({ top_n: 3 }))).toEqual(spoken.built);
    expect(build(read({ top_n: 1_000 }))).toEqual(spoken.built);
  });

  test("requests the best, and never the document texts", () => {
    expect(build(read({ top_n: 2, return_documents: true }))).toEqual(spoken.top);
  });

  test("is read with its scores and its token count", () => {
    const answer = outbound.parse(
      spoken.wrap([
        { index: 1, relevance_score: 0.75, document: { text: "b" } },
        { index: 0, relevance_score: 1 },
      ]),
      read(),
    );

    expect(answer.results).toEqual([
      { index: 1, score: 0.75 },
      { index: 0, score: 1 },
    ]);
    expect(answer.usage?.inputTokens).toBe(spoken.tokens);
  });

  const notAnswers: [string, Json][] = [
    ["a document twice", [RESULT, RESULT]],
    ["a document that was not given", [{ index: 3, relevance_score: 0.5 }]],
    ["a document before the first", [{ index: -1, relevance_score: 0.5 }]],
    ["half a document", [{ index: 0.5, relevance_score: 0.5 }]],
    ["no index", [{ relevance_score: 0.5 }]],
    ["no score", [{ index: 0 }]],
    ["a score as text", [{ index: 0, relevance_score: "high" }]],
    ["an infinite score", [{ index: 0, relevance_score: Infinity }]],
    ["nothing", []],
    ["no list", null],
    ["no result", ["a"]],
  ];
  test.each(notAnswers)("that ranks %s has failed", (_what, results) => {
    expect(refusal(results)).toBe("upstream_failed");
  });
});

/** Every field that some vendor has, and one that none has. */
const FIELDS: JsonObject = {
  instruction: "prefer facts",
  truncation: true,
  truncation_direction: "Left",
  max_tokens_per_doc: 9,
  max_chunks_per_doc: 3,
  overlap_tokens: 2,
  priority: 1,
  made_up: "x",
};

describe("vendor-specific rerank fields", () => {
  const CUT: JsonObject = {
    instruction: "instruction",
    max_chunks_per_doc: "max_chunks_per_doc",
    overlap_tokens: "overlap_tokens",
  };
  const { instruction, truncation, max_tokens_per_doc: most, priority } = FIELDS;
  const cases: [string, OutboundFormat<RerankRequest, Ranking>, JsonObject, JsonObject][] = [
    ["of the shared format", jina, {}, {}],
    [
      "of the shared format with fields of its own",
      jina,
      { carries: CUT },
      { instruction, max_chunks_per_doc: 3, overlap_tokens: 2 },
    ],
    ["of the shared format with any field", jina, { carries: "all" }, FIELDS],
    ["of searches", cohere, {}, { max_tokens_per_doc: most, priority }],
    ["that cuts", voyage, {}, { truncation }],
    ["that takes instructions", dashscope, {}, { instruct: instruction }],
    ["of one model", tei, {}, { truncate: truncation, truncation_direction: "Left" }],
  ];
  test.each(cases)("are sent to a server %s in its format, and reported otherwise", (...each) => {
    const [, format, dialect, carried] = each;
    const build = (more: JsonObject) => {
      const report = new LossReport();
      const { outbound } = format;
      const body = outbound.build(read(more), { report, model: {}, dialect });
      return { body, lost: report.fields };
    };
    const plain = build({}).body;
    const { body, lost } = build(FIELDS);

    const parameters = plain["parameters"];
    expect(body).toEqual(
      parameters === undefined
        ? { ...plain, ...carried }
        : { ...plain, parameters: Object.assign({}, parameters, carried) },
    );
    expect(lost.length).toBe(Object.keys(FIELDS).length - Object.keys(carried).length);
    expect(lost.includes("made_up")).toBe(!("made_up" in carried));
    expect(build({}).lost).toEqual([]);
  });

  test("never replace the gateway's own fields", () => {
    const question = read({ texts: ["other"], raw_scores: true });
    const context = { report: new LossReport(), model: {} };

    expect(tei.outbound.build(question, context)).toMatchObject({
      texts: ["a", "b", "c"],
      raw_scores: false,
    });
    expect(context.report.fields).toEqual(["texts", "raw_scores"]);
  });
});

describe("tokens of a rerank response in the shared format", () => {
  const cases: [JsonObject, number | undefined][] = [
    [{ usage: { total_tokens: 9, prompt_tokens: 8 } }, 9],
    [{ usage: { prompt_tokens: 8 } }, 8],
    [{ tokens: { input_tokens: 5, output_tokens: 2 } }, 7],
    [{ meta: { tokens: { input_tokens: 5, output_tokens: 0 } } }, 5],
    [{ usage: { search_units: 1 } }, 6],
    [{ usage: { total_tokens: 0 } }, undefined],
    [{ usage: { total_tokens: -4 } }, undefined],
    [{ usage: { total_tokens: 1e18 } }, undefined],
    [{}, undefined],
  ];
  test.each(cases)("of %j are %p", (members, tokens) => {
    const { usage } = jina.outbound.parse({ results: [RESULT], ...members }, read());

    expect(usage?.inputTokens).toBe(tokens);
  });
});

describe("searches charged by a vendor", () => {
  const usageIn = (format: OutboundFormat<RerankRequest, Ranking>, members: JsonObject) =>
    format.outbound.parse({ results: [RESULT], ...members }, read()).usage;
  const billed = { meta: { billed_units: { search_units: 3 } } };

  test("are the reported number, with or without counted tokens", () => {
    const counted = { usage: { total_tokens: 9, search_units: 2 } };

    expect(usageIn(cohere, billed)).toMatchObject({ searches: 3, isEstimated: true });
    expect(usageIn(jina, billed)).toMatchObject({ searches: 3, isEstimated: true });
    expect(usageIn(jina, counted)).toMatchObject({
      inputTokens: 9,
      searches: 2,
      isEstimated: false,
    });
  });

  test("are counted by the gateway if the vendor reports none or an impossible number", () => {
    const odd = { meta: { billed_units: { search_units: -1 } } };

    expect(usageIn(cohere, {})).toBeUndefined();
    expect(usageIn(cohere, odd)).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import { rerank, type RerankRequest } from "#core/rerank.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf } from "#lib/values.ts";
import { cohere } from "#styles/rerank/cohere.ts";
import { jina } from "#styles/rerank/jina.ts";
import { voyage } from "#styles/rerank/voyage.ts";
import { readLines, readShared, withVendors } from "#test/shared.ts";

const FORMATS = new Map([
  ["cohere", cohere],
  ["voyage", voyage],
]);

interface Recorded {
  readonly file: string;
  readonly asked: JsonObject | undefined;
  readonly answer: JsonObject;
}

function readCorpus(): readonly Recorded[] {
  return readLines("corpus/index.jsonl")
    .filter(({ endpoint, status }) => endpoint === "rerank" && status === 200)
    .flatMap(({ file }) => (typeof file === "string" ? [file] : []))
    .map((file) => {
      const { request, response } = readShared(`corpus/${file}`);
      const asked = memberOf(request, "body");
      const answer = memberOf(response, "body");
      return {
        file,
        asked: isObject(asked) ? asked : undefined,
        answer: isObject(answer) ? answer : {},
      };
    });
}

const formatOf = (file: string) => FORMATS.get(file.split("/")[0] ?? "") ?? jina;

/** Where only the answer was recorded: as many documents as any answer tells of. */
const UNKNOWN: JsonObject = {
  model: "m",
  query: "q",
  documents: Array.from({ length: 10 }, () => "d"),
};

function questionOf({ asked }: Recorded): RerankRequest {
  return jina.inbound.read(asked ?? UNKNOWN, {});
}

/** All that was said; where all documents are wanted, there is nothing to say. */
function meantBy(asked: JsonObject, { documents }: RerankRequest): object {
  const isSaid = ([name, value]: [string, unknown]): boolean =>
    (value ?? null) !== null && !(name.startsWith("top_") && Number(value) >= documents.length);
  return Object.fromEntries(Object.entries(asked).filter(isSaid));
}

withVendors("corpus", () =>
  describe("recorded rankings", () => {
    const recorded = readCorpus();

    test("[A2.8] keep their order and scores for the client", () => {
      expect(recorded.length).toBeGreaterThanOrEqual(10);
      for (const each of recorded) {
        const question = questionOf(each);
        const answer = formatOf(each.file).outbound.parse(each.answer, question);
        const joined = rerank.join([{ question, answer }], question);

        const { results } = jina.inbound.write({ usage: NO_USAGE, ...joined }, question);

        const said = listOf(each.answer["results"] ?? each.answer["data"]);
        const scores = said.map((one) => numberOf(memberOf(one, "relevance_score")) ?? Number.NaN);
        const areLogits = scores.some((score) => score < 0 || score > 1);
        expect([each.file, results]).toEqual([
          each.file,
          said.map((one, at) => ({
            index: memberOf(one, "index"),
            relevance_score: areLogits
              ? expect.closeTo(1 / (1 + Math.exp(-(scores[at] ?? 0))), 9)
              : scores[at],
          })),
        ]);
      }
    });

    test("count the tokens or the searches of their vendors", () => {
      for (const { file, asked, answer } of recorded) {
        const { usage } = formatOf(file).outbound.parse(
          answer,
          questionOf({ file, asked, answer }),
        );

        const counted = numberOf(memberOf(answer["usage"], "total_tokens"));
        const billed =
          memberOf(memberOf(answer["meta"], "billed_units"), "search_units") ??
          memberOf(answer["usage"], "search_units");
        const isCounted = usage?.isEstimated === false;
        expect([file, isCounted ? usage.inputTokens : undefined]).toEqual([file, counted]);
        expect([file, usage?.searches]).toEqual([file, numberOf(billed)]);
      }
    });

    test("[A4.10] have requests equal to the gateway's", () => {
      for (const each of recorded) {
        if (each.asked === undefined) continue;
        const question = questionOf(each);
        const report = new LossReport();

        const built = formatOf(each.file).outbound.build(question, { report, model: {} });

        const { return_documents: _, ...said } = built;
        expect<unknown>([each.file, said]).toEqual([each.file, meantBy(each.asked, question)]);
        expect([each.file, report.fields]).toEqual([each.file, []]);
      }
    });
  }),
);

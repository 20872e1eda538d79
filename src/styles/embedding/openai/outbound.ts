import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { reportLosses, type LossRule } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import { usageOf, type Usage } from "#core/usage.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf } from "#lib/values.ts";
import { carryFrom } from "#styles/carry.ts";
import { textsOf } from "#styles/embedding/texts.ts";
import { checkVectors, readVector } from "#styles/embedding/vectors.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { DEFAULT_DIALECT, type EmbeddingDialect } from "./dialect.ts";

interface Facts extends EmbeddingRequest {
  /** The vendor's word for the task. */
  readonly word: string | undefined;
  readonly takesUser: boolean;
}

const LOSSES: readonly LossRule<Facts>[] = [
  { lost: "task", when: ({ task, word }) => task !== undefined && word === undefined },
  { lost: "title", when: ({ title }) => title !== undefined },
  { lost: "user", when: ({ user, takesUser }) => user !== undefined && !takesUser },
];

export function build(
  question: EmbeddingRequest,
  { report, dialect: own }: OutboundContext,
): JsonObject {
  const dialect: EmbeddingDialect = { ...DEFAULT_DIALECT, ...own };
  const { model, inputs, dimensions, task, user, extra } = question;
  const word = task === undefined ? undefined : dialect.task?.words[task];
  reportLosses(LOSSES, { ...question, word, takesUser: dialect.takesUser === true }, report);
  return {
    ...carryFrom(extra, ["embeddings"], dialect.carries, report),
    model,
    input: dialect.takesTokens === true ? inputs : textsOf(question),
    ...(dialect.encoding === "base64" ? { encoding_format: "base64" } : {}),
    ...defined({ [dialect.dimensions]: dimensions }),
    ...(dialect.task === undefined ? {} : defined({ [dialect.task.member]: word })),
    ...(dialect.takesUser === true ? defined({ user }) : {}),
  };
}

export function parse(body: JsonObject, { inputs }: EmbeddingRequest): Embeddings {
  if (!isArray(body["data"])) throw noAnswer("has no list of vectors");
  const vectors = inOrder(body["data"]).map((item) => readVector(memberOf(item, "embedding")));
  const usage = parseUsage(body["usage"]);
  return { vectors: checkVectors(vectors, inputs.length), ...defined({ usage }) };
}

/** If the items have no index, they are in the order of the inputs. */
function inOrder(items: readonly Json[]): readonly Json[] {
  const numbers = items.map((item) => integerOf(memberOf(item, "index")));
  if (numbers.every((number) => number === undefined)) return items;
  const ordered: Json[] = [];
  for (const [at, number] of numbers.entries()) {
    const isFree = number !== undefined && ordered[number] === undefined;
    if (!isFree || number < 0 || number >= items.length) {
      throw noAnswer("numbers its vectors in a way that makes no sense");
    }
    ordered[number] = items[at] ?? null;
  }
  return ordered;
}

/**
 * Some vendors send only the total, which equals the input; one of them sends zero for the input.
 */
function parseUsage(wire: Json | undefined): Usage | undefined {
  const told = [memberOf(wire, "prompt_tokens"), memberOf(wire, "total_tokens")].map(integerOf);
  const inputTokens = told.find((count) => count !== undefined && count > 0);
  return inputTokens === undefined ? undefined : usageOf({ inputTokens, outputTokens: 0 });
}

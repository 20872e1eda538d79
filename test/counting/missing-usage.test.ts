import { afterAll, beforeAll, expect, test } from "bun:test";
import { findCounting } from "#catalog/families.ts";
import type { InboundStyle } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { countInput } from "#relay/metering/count-input.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openSimulated } from "#test/harness.ts";

const MODEL = "gpt-4o-mini";
const ASK = "Count to 20 [[fault:nousage]]";
const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };

let opened: Awaited<ReturnType<typeof openSimulated>>;
let books: Books;
beforeAll(async () => {
  opened = await openSimulated();
  books = openBooks(opened.dataDir);
});
afterAll(async () => {
  books.close();
  await opened[Symbol.asyncDispose]();
});

interface Case {
  readonly path: string;
  readonly style: InboundStyle;
  readonly body: JsonObject;
}

const CASES: readonly Case[] = [
  {
    path: "/v1/chat/completions",
    style: chat,
    body: {
      messages: [{ role: "user", content: ASK }],
      tools: [{ type: "function", function: { name: "weather", parameters: PARAMETERS } }],
    },
  },
  {
    path: "/v1/messages",
    style: messages,
    body: {
      max_tokens: 500,
      messages: [{ role: "user", content: ASK }],
      tools: [{ name: "weather", input_schema: PARAMETERS }],
    },
  },
  {
    path: "/v1/responses",
    style: responses,
    body: {
      input: ASK,
      tools: [{ type: "function", name: "weather", parameters: PARAMETERS }],
    },
  },
];

test.each(
  CASES.flatMap((each) => [true, false].map((stream) => [each.style.id, stream, each] as const)),
)(
  "a request in the style %s (streamed: %p) whose upstream reports no usage is charged by the gateway's count",
  async (_id, stream, { path, style, body }) => {
    const question = { model: MODEL, stream, ...body };
    const facts = style.inbound.readRequest(question, {});
    const counting = findCounting(MODEL) ?? {};
    const expected = await countInput(style.inbound.parseRequest(question, facts), { counting });

    const answer = await opened.post(path, question);
    await answer.text();
    await books.whenSettled();

    expect(answer.status).toBe(200);
    expect(books.calls().at(-1)).toMatchObject({ is_estimated: 1, input_tokens: expected });
    expect(Number(books.calls().at(-1)?.["output_tokens"])).toBeGreaterThan(20);
  },
);

import { describe, expect, test } from "bun:test";
import { Form } from "#lib/form.ts";
import type { CapturedAnswer } from "./capture.ts";
import { describeContent, describeWhole } from "./describe-content.ts";
import { Redactor } from "./redactor.ts";

const MAX_CHARS = 100;
/** A text is read so far behind its limit, for what begins before the limit. */
const MARGIN = 4_096;
const MAIL = "ada@example.com";

function redactor(): Redactor {
  return new Redactor({ kinds: ["email"], patterns: [] }, 1_000);
}

async function answerOf(answer: Partial<CapturedAnswer>) {
  const whole = { parts: [], sizeBytes: 7, isStream: false, isText: true, isWhole: true };
  const { answer: described } = await describeContent(
    { request: "", answer: { ...whole, ...answer } },
    redactor(),
    MAX_CHARS,
  );
  return described;
}

function whole(body: string) {
  return describeWhole(body, redactor(), MAX_CHARS);
}

describe("a complete text", () => {
  test("is redacted, and has its size before that", async () => {
    expect(await whole(`{"a":"é ${MAIL}"}`)).toEqual({
      text: '{"a":"é [email]"}',
      sizeBytes: 26,
      isTruncated: false,
    });
  });

  test("is cut at its limit, between whole characters", async () => {
    expect(await whole("x".repeat(100))).toMatchObject({ isTruncated: false });
    expect(await whole("x".repeat(101))).toMatchObject({
      text: "x".repeat(100),
      isTruncated: true,
    });
    expect((await whole(`${"x".repeat(99)}🦊`)).text).toBe(`${"x".repeat(99)}\ufffd`);
  });

  test("that is far too long is read up to behind its limit", async () => {
    const long = (mailAt: number) => `"${" ".repeat(mailAt - 1)}${MAIL}${" ".repeat(9_000)}"`;

    expect(await whole(long(90))).toMatchObject({ isTruncated: true });
    expect((await whole(long(90))).text).toEndWith("[email]   ");
    expect((await whole(`"${" ".repeat(200)}${"x".repeat(MARGIN - 101)}`)).isTruncated).toBe(true);
  });

  test("stays JSON if it is not far too long, and is shortened by its redaction", async () => {
    const mails = Array.from({ length: 9 }, () => MAIL);
    const body = JSON.stringify(mails);

    const { text, isTruncated } = await whole(body);

    expect(body.length).toBeGreaterThan(MAX_CHARS);
    expect([JSON.parse(text), isTruncated]).toEqual([mails.map(() => "[email]"), false]);
  });

  test("of exactly the largest length is read as a document, and a longer one as text", async () => {
    const escaped = String.raw`"ada\u0040example.com and \"more\""`;
    const padded = (length: number) => escaped.slice(0, -1).padEnd(length - 1) + '"';

    expect((await whole(padded(MAX_CHARS + MARGIN))).text).toStartWith('"[email] and \\"more');
    expect((await whole(padded(MAX_CHARS + MARGIN + 1))).text).toStartWith('"[email] and "more');
  });

  test("that is far too long is truncated, also if it is short after its redaction", async () => {
    const body = `${"x".repeat(10_000)}@`.slice(0, 10_000);
    const mail = `${"a".repeat(30)}@${"b.".repeat(2_000)}example`;

    expect((await whole(`"${"QUJD".repeat(5_000)}"`)).text).toBe('"[base64, 20000 characters]"');
    expect((await whole(body)).text).toBe("[base64, 10000 characters]");
    expect((await whole(`${mail}${" y".repeat(3_000)}`)).isTruncated).toBe(true);
  });
});

describe("an answer", () => {
  test("that does not exist is null", async () => {
    const { answer } = await describeContent({ request: "", answer: undefined }, redactor(), 1);

    expect(answer).toBeNull();
  });

  test("that is no text is stored by its size only", async () => {
    expect(await answerOf({ parts: ["RIFF"], isText: false })).toEqual({
      text: "",
      sizeBytes: 7,
      isTruncated: true,
    });
  });

  test("in pieces is one text, also if a character is split", async () => {
    const bytes = Buffer.from(`é ${MAIL}`);

    expect(await answerOf({ parts: [bytes.subarray(0, 1), bytes.subarray(1)] })).toEqual({
      text: "é [email]",
      sizeBytes: 7,
      isTruncated: false,
    });
    expect((await answerOf({ parts: [Buffer.from("é").subarray(0, 1)] }))?.text).toBe("\ufffd");
  });

  test("that is whole and no stream is not joined over its texts", async () => {
    const parts = ['["ada@","example.com"]'];

    expect((await answerOf({ parts }))?.text).toBe('["ada@","example.com"]');
    expect((await answerOf({ parts, isStream: true }))?.text).toBe('["[email]",""]');
  });

  test("whose end was not kept is cut as a text", async () => {
    const parts = [`{"a":"${"x".repeat(90)}`];

    expect((await answerOf({ parts, isWhole: false }))?.text).toBe(parts[0]);
  });
});

describe("a stream", () => {
  const events = (...texts: readonly string[]) =>
    texts.map((text) => `data: {"t":"${text}"}\n\n`).join("");

  test("is redacted over its events at any length", async () => {
    const pieces = ["ada", "@example", ".com", ...Array<string>(500).fill(" x")];

    const answer = await answerOf({ parts: [events(...pieces)], isStream: true });

    expect(answer?.text).toStartWith(events("[email]", "", "", " x"));
    expect(answer).toMatchObject({ isTruncated: true });
    expect(answer?.text).toHaveLength(MAX_CHARS);
  });

  test("whose end was not kept has its whole events", async () => {
    const parts = [events("by ", MAIL), 'data: {"t":"cut'];

    expect(await answerOf({ parts, isStream: true, isWhole: false })).toEqual({
      text: events("by ", "[email]").slice(0, -1),
      sizeBytes: 7,
      isTruncated: true,
    });
  });
});

test("a form is stored as its fields, and the names of its files", async () => {
  const file = { name: "f", filename: "a.wav", mediaType: "audio/wav", bytes: Buffer.alloc(4) };
  const request = new Form([{ name: "to", value: MAIL }, file]);

  const described = await describeContent({ request, answer: undefined }, redactor(), 1_000);

  expect(JSON.parse(described.request.text)).toEqual([
    { name: "to", value: "[email]" },
    { name: "f", filename: "a.wav", content_type: "audio/wav", bytes: 4 },
  ]);
});

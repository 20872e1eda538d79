import { describe, expect, test } from "bun:test";
import { REDACTION_KINDS } from "#core/content-log.ts";
import { createSecret } from "#core/key.ts";
import { LinearPattern } from "#lib/linear-pattern.ts";
import { redactContent, redactCut } from "./redact-content.ts";
import { Redactor } from "./redactor.ts";

function redactor(...patterns: readonly string[]): Redactor {
  const rules = {
    kinds: REDACTION_KINDS,
    patterns: patterns.map((source) => new LinearPattern(source)),
  };
  return new Redactor(rules, 10_000_000);
}

const redact = (text: string): string => redactor().redact(text);

describe("an e-mail address is redacted", () => {
  for (const address of [
    "ada@example.com",
    "ada.lovelace+news@mail.example.co.uk",
    "o'neil_9@sub-domain.example",
    "jürgen@bücher.example",
    "用户@例子.中国",
  ]) {
    test(address, () => {
      expect(redact(`Write to ${address}. Thanks`)).toBe("Write to [email]. Thanks");
    });
  }

  test("also behind another sign at the begin", () => {
    expect(redact("@ada: ask bob@example.com")).toBe("@ada: ask [email]");
  });

  test("with at most 64 characters before the sign", () => {
    expect(redact(`${"x".repeat(70)}@example.com`)).toBe(`${"x".repeat(6)}[email]`);
  });

  const tooLong = `x@${"ab.".repeat(84)}cd`;
  for (const text of [
    "@media print",
    "@example.com",
    "user@localhost",
    "a @ b.com",
    "5 @ 3.50",
    "x@y.",
    tooLong,
  ]) {
    test(`but not '${text}'`, () => expect(redact(text)).toBe(text));
  }
});

describe("a phone number is redacted", () => {
  for (const number of [
    "+49 30 1234567",
    "+1 (415) 555-0132",
    "+8613812345678",
    "+49 301234",
    "(415) 555-0132",
    "415-555-0132",
    "13812345678",
    "138-1234-5678",
    "030 12345678",
    "0171/2345678",
    "020 7946 0958",
    "01 42 68 53 00",
  ]) {
    test(number, () => expect(redact(`Call ${number}, please`)).toBe("Call [phone], please"));
  }

  for (const text of [
    "2026-11-27T06:31:27Z",
    "on 01-2025",
    "+49 30123",
    "version 0.12.345",
    "1732689087123",
    "a total of 1,234,567.89",
    "192.168.100.200",
    "550e8400-e29b-41d4-a716-446655440000",
  ]) {
    test(`but not '${text}'`, () => expect(redact(text)).toBe(text));
  }
});

describe("a card number with a valid check digit is redacted", () => {
  for (const number of [
    "4111111111111111",
    "4111 1111 1111 1111",
    "5500-0000-0000-0004",
    "378282246310005",
    "3782 822463 10005",
    "6011000990139424",
    "2223003122003222",
  ]) {
    test(number, () => expect(redact(`card ${number}.`)).toBe("card [card]."));
  }

  test("also after other digits", () => {
    expect(redact("12 4111 1111 1111 1111 99")).toBe("12 [card] 99");
  });

  for (const text of ["4111111111111112", "41111111111111111111111", "9111111111111111"]) {
    test(`but not '${text}'`, () => expect(redact(text)).toBe(text));
  }
});

describe("a key is redacted", () => {
  for (const key of [
    createSecret(),
    createSecret("slc-user_"),
    "sk-proj-abcdefghijklmnop0123456789_-AB",
    "sk-ant-api03-abcdefghijklmnop0123456789",
    `AIza${"Sy0_-aB".repeat(5)}`,
    "AKIAIOSFODNN7EXAMPLE",
    `ghp_${"a1B2".repeat(9)}`,
    `gsk_${"a1B2".repeat(9)}`,
    `xai-${"a1B2".repeat(9)}`,
    "xoxb-123456789012-abcdefghij",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    `${"0123456789abcdef".repeat(2)}.AbCdEfGhIjKlMnOp`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
  ]) {
    test(key.slice(0, 12), () => expect(redact(`the key ${key} is`)).toBe("the key [key] is"));
  }

  test("but not a word with a hyphen", () => {
    expect(redact("ask-for-an-interview, task-force")).toBe("ask-for-an-interview, task-force");
  });
});

describe("a body stays readable", () => {
  test("JSON stays JSON, with texts searched without their escapes", async () => {
    const body = String.raw`{"n":1.50,"a":"\nada\u0040example.com","b":[4111111111111111],"bob@example.com":1}`;

    const written = await redactContent(body, redactor(), { isStream: false });

    expect(JSON.parse(written)).toEqual({ n: 1.5, a: "\n[email]", b: ["[card]"], "[email]": 1 });
  });

  test("JSON without anything to redact is kept to the byte", async () => {
    const body = '{ "n": 1.50, "big": 12345678901234567890, "a": "x\\u0041" }';

    expect(await redactContent(body, redactor(), { isStream: false })).toBe(body);
  });

  test("members of every kind are kept beside a redacted one", async () => {
    const body = '{"a":null,"b":true,"c":[],"d":{},"e":"ada@example.com"}';

    expect(await redactContent(body, redactor(), { isStream: false })).toBe(
      body.replace("ada@example.com", "[email]"),
    );
  });

  test("JSON with one redacted name is written again", async () => {
    expect(await redactContent('{"ada@example.com": 1}', redactor(), { isStream: false })).toBe(
      '{"[email]":1}',
    );
  });

  test("a number is searched from a million on, and stays a number otherwise", async () => {
    const body = '{"a":1000000,"b":-1000000,"c":999999}';

    expect(await redactContent(body, redactor(String.raw`\d+`), { isStream: false })).toBe(
      '{"a":"[redacted]","b":"-[redacted]","c":999999}',
    );
  });

  test("a number alone is no JSON document", async () => {
    expect(await redactContent("4111111111111111", redactor(), { isStream: false })).toBe("[card]");
  });

  test.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("nested %s are searched to a depth of 500", async (_, open, close) => {
    const nested = (depth: number) =>
      redactContent(open.repeat(depth - 1) + "[]" + close.repeat(depth - 1), redactor(), {
        isStream: false,
      });

    expect(await nested(500)).toStartWith(open);
    expect(await nested(501).catch(String)).toBe("Error: A body nests too deep to be redacted.");
  });

  test("neighbouring texts of one request are not read as one", async () => {
    const body = JSON.stringify({ messages: [{ content: "x@" }, { content: "example.com" }] });

    expect(await redactContent(body, redactor(), { isStream: false })).toBe(body);
  });

  test("a plain text is searched as it is", async () => {
    expect(await redactContent("by ada@example.com", redactor(), { isStream: false })).toBe(
      "by [email]",
    );
  });

  test("JSON that was cut off is searched without its escapes", () => {
    const body = String.raw`{"a":"\nada\u0040example.com and 4111 1111`;

    expect(redactCut(body, redactor())).toBe('{"a":"\n[email] and 4111 1111');
  });
});

describe("in a stream, a text that is split over events is redacted", () => {
  const pieces = ["Mail a", "da", "@", "example", ".com or", " 4111", " 1111 1111 ", "1111!"];
  const cases = {
    chat: pieces.map((content) => ({ id: "c", choices: [{ index: 0, delta: { content } }] })),
    "chat with the index last": pieces.map((content) => ({
      choices: [{ delta: { content }, index: 0 }],
    })),
    messages: pieces.map((text) => ({ type: "content_block_delta", index: 1, delta: { text } })),
    responses: pieces.map((delta) => ({ type: "response.output_text.delta", delta })),
    gemini: pieces.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] })),
  };
  for (const [style, events] of Object.entries(cases)) {
    test(`of the style ${style}`, async () => {
      const body = `${events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`;

      const written = await redactContent(body, redactor(), { isStream: true });

      expect(textsOf(written)).toBe("Mail [email] or [card]!");
      expect(written.split("\n\n")).toHaveLength(events.length + 2);
      expect(written).toContain("data: [DONE]");
    });
  }

  test("but ids and models that repeat are not read as one text", async () => {
    const body = ["x@", "example.com", "y"]
      .map((model) => `data: {"model":"${model}"}\n\n`)
      .join("");

    expect(await redactContent(body, redactor(), { isStream: true })).toBe(body);
  });

  test.each(["data: ", "data:", ""])("and its lines begin with '%s' as before", async (head) => {
    const lines = (...texts: readonly string[]) =>
      texts.map((text) => `${head}{"t":"${text}"}\r\n`).join("");

    expect(
      await redactContent(lines("by ", "ada@example.com"), redactor(), { isStream: true }),
    ).toBe(lines("by ", "[email]"));
    expect(await redactContent(lines("a", "b"), redactor(), { isStream: true })).toBe(
      lines("a", "b"),
    );
  });

  test("of an array of events", async () => {
    const written = await redactContent(JSON.stringify(cases.gemini), redactor(), {
      isStream: true,
    });

    expect(textsOf(written)).toBe("Mail [email] or [card]!");
  });

  test("of choices that are interleaved", async () => {
    const events = ["ada@", "bob@", "example.com", "example.org"].map((content, at) => ({
      choices: [{ index: at % 2, delta: { content } }],
    }));
    const body = events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");

    const written = await redactContent(body, redactor(), { isStream: true });

    expect(textsOf(written)).toBe("[email][email]");
  });

  function textsOf(written: string): string {
    const texts = written.matchAll(/"(?:content|text|delta)":"([^"]*)"/g);
    return [...texts].map(([, text]) => text).join("");
  }
});

test("patterns of the operator are redacted as well", () => {
  const own = redactor(String.raw`customer-\d+`, "(?i)project [a-z]+");

  expect(own.redact("customer-17 of Project Apollo, ada@example.com")).toBe(
    "[redacted] of [redacted], [email]",
  );
});

describe("no text makes the search slow", () => {
  for (const [name, unit] of Object.entries({
    digits: "1 ",
    dots: "a.",
    "e-mail": "a@",
    domains: "@a.b",
    keys: "sk-",
    tokens: "eyJ",
    plus: "+1(",
    trunk: "0 ",
    "private keys": "-----BEGIN PRIVATE KEY-----",
  })) {
    test(name, () => {
      const cpuOf = (length: number): number => {
        const text = unit.repeat(Math.ceil(length / unit.length));
        const before = process.cpuUsage();
        redact(text);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      };
      cpuOf(20_000);

      expect(cpuOf(200_000)).toBeLessThan(1_000);
    });
  }
});

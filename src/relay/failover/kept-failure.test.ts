import { describe, expect, test } from "bun:test";
import { keptFailure } from "./kept-failure.ts";

const SENT = JSON.stringify({
  model: "gpt-x-4",
  max_tokens: 9,
  messages: [{ role: "user", content: "Tell Kunigunde about invoice 48151, straße, please" }],
});

const reasonOf = (reason: string, sent: string | undefined = SENT): string | undefined =>
  keptFailure({ status: 400, reason }, "gpt-x-4", sent)?.reason;

describe("of a vendor's failure", () => {
  test.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model.",
      "Unsupported parameter: 'max_tokens' is not supported with this model.",
    ],
    ["The model `gpt-x-4` does not exist.", "The model `gpt-x-4` does not exist."],
    [
      "messages.0.content: image exceeds 5 MB maximum",
      "messages.0.content: image exceeds 5 MB maximum",
    ],
    ["Refused: 'tell KUNIGUNDE about Invoice 48151'", "Refused: '… … … … …'"],
    ["Not about Straße.", "Not … …."],
    ["Insufficient Balance", "Insufficient Balance"],
    ['{"model":"gpt-x-4","content":"Kunigunde"}', '{"model":"gpt-x-4","content":"…"}'],
  ])("%j is kept as %j", (said, kept) => {
    expect(reasonOf(said)).toBe(kept);
  });

  test("escapes in the request hide nothing", () => {
    const escaped = SENT.replace("Kunigunde", "K\\u0075nigunde");

    expect(reasonOf("Who is Kunigunde?", escaped)).toBe("Who is …?");
  });

  test("a duplicate field hides neither of its values", () => {
    const twice = '{"user":"Kunigunde","user":"\\u0041da"}';

    expect(reasonOf("Who is Kunigunde, who is Ada?", twice)).toBe("Who is …, who is …?");
  });

  test("codes are kept unless they repeat the request", () => {
    const failure = { status: 400, code: "invalid_image_url", type: "kunigunde" };

    expect(keptFailure(failure, "m", SENT)).toEqual({ code: "invalid_image_url" });
  });

  test("without a request to compare with, only codes that vendors share are kept", () => {
    const failure = { status: 401, code: "invalid_api_key", type: "of_its_own", reason: "No." };

    expect(keptFailure(failure, "m", undefined)).toEqual({ code: "invalid_api_key" });
    expect(keptFailure({ status: 500, reason: "No." }, "m", new Uint8Array(1))).toBeUndefined();
  });

  test("a request of up to 1 MiB is compared with the reason", () => {
    const sized = (chars: number): string => `"Kunigunde${" ".repeat(chars - 11)}"`;

    expect(reasonOf("Who is Kunigunde?", sized(1024 * 1024))).toBe("Who is …?");
    expect(reasonOf("Who is Kunigunde?", sized(1024 * 1024 + 1))).toBeUndefined();
  });

  test("a long request is searched for codes only", () => {
    const long = SENT.replace("please", "please ".repeat(200_000));
    const failure = { status: 400, code: "invalid_image_url", type: "kunigunde", reason: "No." };

    expect(keptFailure(failure, "m", long)).toEqual({ code: "invalid_image_url" });
  });
});

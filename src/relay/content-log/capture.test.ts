import { describe, expect, test } from "bun:test";
import { Form } from "#lib/form.ts";
import { Pieces } from "#lib/pieces.ts";
import { Capture, type RequestContent } from "./capture.ts";

/** A capture that has room for so many bytes. */
function stage(room = 1_000, request: RequestContent = "ask") {
  let left = room;
  const ended: Capture[] = [];
  const reserve = (bytes: number): boolean => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const capture = new Capture(
    { callId: "call", level: "all", request, isLasting: false },
    { maxAnswerBytes: 10, reserve },
    (each) => ended.push(each),
  );
  return { capture, ended, left: () => left };
}

function textOf({ answer }: Capture): string | undefined {
  return answer?.parts.map(String).join("");
}

test("a call without an answer has its request only", () => {
  const { capture, ended } = stage();

  expect(capture).toMatchObject({ callId: "call", level: "all", isLasting: false });
  expect([capture.request, capture.answer, capture.isLost, ended]).toEqual([
    "ask",
    undefined,
    false,
    [],
  ]);
  capture.end();
  capture.end();

  expect(ended).toEqual([capture]);
});

describe("a complete answer", () => {
  test("is kept as a text, as bytes, or in pieces", () => {
    for (const body of ["answer", Buffer.from("answer"), new Pieces(["ans", "wer"])]) {
      const { capture } = stage();
      capture.take(body, "application/json");

      expect(textOf(capture)).toBe("answer");
      expect(capture.answer).toMatchObject({
        sizeBytes: 6,
        isStream: false,
        isText: true,
        isWhole: true,
      });
    }
  });

  test("is kept if its type is a text", () => {
    const isKept = (type: string): boolean | undefined => {
      const { capture } = stage();
      capture.take("answer", type);
      return capture.answer?.isText && textOf(capture) === "answer";
    };

    for (const type of ["text/plain", "Text/HTML", "application/json; charset=utf-8"]) {
      expect([type, isKept(type)]).toEqual([type, true]);
    }
    for (const type of ["application/vnd.api+json", "application/x-ndjson", "text/event-stream"]) {
      expect([type, isKept(type)]).toEqual([type, true]);
    }
    for (const type of ["audio/mpeg", "application/octet-stream", ""]) {
      expect([type, isKept(type)]).toEqual([type, false]);
    }
  });

  test("that is no text is counted, and takes no room", () => {
    const { capture, left } = stage();

    capture.take(Buffer.alloc(500), "audio/mpeg");

    expect(capture.answer).toMatchObject({ parts: [], sizeBytes: 500, isText: false });
    expect([capture.heldBytes, left(), capture.isLost]).toEqual([3, 997, false]);
  });

  test("may be an error in place of an answer, which ends the call", () => {
    const { capture, ended } = stage();
    expect(capture.isRefused).toBe(false);

    capture.refuse("{}");

    expect([capture.isRefused, textOf(capture), ended]).toEqual([true, "{}", [capture]]);
    expect(capture.answer?.isText).toBe(true);
  });
});

describe("a stream", () => {
  test("is kept up to its limit and counted whole, while the client gets all of it", async () => {
    const { capture } = stage();
    const sent: string[] = [];
    const buffer = Buffer.from("12345");
    const sink = capture.tee(
      { write: (piece) => void sent.push(String(piece)) },
      "text/event-stream",
    );

    await sink.write(buffer);
    // The buffer of a piece may be reused.
    buffer.fill("x");
    await sink.write("67890");
    expect(capture.answer).toMatchObject({ isStream: true, isWhole: true, sizeBytes: 10 });
    await sink.write("abc");
    await sink.write("def");

    expect(textOf(capture)).toBe("1234567890abc");
    expect(capture.answer).toMatchObject({ isWhole: false, sizeBytes: 16 });
    expect(capture.heldBytes).toBe(16);
    expect(sent).toEqual(["12345", "67890", "abc", "def"]);
  });

  test("returns the wait of its client", async () => {
    const { capture } = stage();
    const wait = Promise.resolve();

    expect(capture.tee({ write: () => wait }, "text/plain").write("a")).toBe(wait);
  });
});

describe("a content for which there is no room", () => {
  test("is lost with all its parts", () => {
    const { capture } = stage(8);
    capture.take(new Pieces(["12345", "6", "7"]), "text/plain");

    expect([capture.isLost, capture.request, textOf(capture)]).toEqual([true, "", ""]);
    expect(capture.heldBytes).toBe(8);
    expect(capture.answer?.sizeBytes).toBe(7);
  });

  test("is lost from the begin if its request is too large", () => {
    const { capture } = stage(2);

    expect([capture.isLost, capture.request, capture.heldBytes]).toEqual([true, "", 0]);
  });
});

test("a request takes the room of its text, its bytes, or the files of its form", () => {
  const file = { name: "file", filename: "a.wav", mediaType: "audio/wav", bytes: Buffer.alloc(7) };
  const form = new Form([file, { name: "prompt", value: "words" }, { ...file, name: "more" }]);

  expect(stage(1_000, "four").capture.heldBytes).toBe(4);
  expect(stage(1_000, Buffer.alloc(9)).capture.heldBytes).toBe(9);
  expect(stage(1_000, form).capture.heldBytes).toBe(14);
});

test("a released content holds nothing any more", () => {
  const { capture } = stage();
  capture.take("answer", "text/plain");

  capture.release();

  expect([capture.request, textOf(capture)]).toEqual(["", ""]);
});

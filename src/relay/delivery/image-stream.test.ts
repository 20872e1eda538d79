import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ImageEncoder, ImageEvent, ImageRequest, Images } from "#core/image.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { OnPiece, UpstreamReply } from "#egress/egress.ts";
import { ImageStream, PictureWriter, WholeImages } from "./image-stream.ts";

const PICTURE = { url: "https://files.example/a.png" };
const REQUEST: ImageRequest = {
  task: "generate",
  model: "m",
  turns: [{ role: "user", parts: ["A fox."] }],
  stream: true,
};
/** The least that an image may cost, for the model's quality. */
const LEAST_TOKENS = 272;

const ENCODER: ImageEncoder = {
  encode: (event) => `${event.type} ${event.index};`,
  end: ({ images = 0 }) => `end of ${images};`,
  fail: ({ message }) => `failed: ${message}`,
};

function tokens(outputTokens: number): Usage {
  return { ...NO_USAGE, outputTokens };
}

function picture(index: number, usage?: Usage): ImageEvent {
  return { type: "picture", index, picture: PICTURE, ...(usage === undefined ? {} : { usage }) };
}

function partial(index: number): ImageEvent {
  return { type: "partial", index, step: 0, picture: PICTURE };
}

const FAILED: ImageEvent = {
  type: "failed",
  index: 1,
  error: { code: "upstream_failed", message: "No." },
};

/** A writer that has seen these events. */
function writerAfter(events: readonly ImageEvent[], count?: number, reported?: Usage) {
  const question = count === undefined ? REQUEST : { ...REQUEST, count };
  const writer = new PictureWriter(question, ENCODER, reported);
  const written = events.map((event) => writer.write(event));
  return { writer, written };
}

describe("the usage of pictures is", () => {
  test("nothing before the first one", () => {
    expect(writerAfter([]).writer.usage).toMatchObject({ images: 0, outputTokens: 0 });
  });

  test("an estimate for each that was delivered, if the vendor reports none", () => {
    const { usage } = writerAfter([picture(0), picture(1)]).writer;

    expect(usage).toMatchObject({ images: 2, outputTokens: 2 * LEAST_TOKENS, isEstimated: true });
  });

  test("the sum of the usage that the vendor reports for each", () => {
    const { usage } = writerAfter([
      picture(0, tokens(5)),
      picture(1, tokens(7)),
      picture(2),
    ]).writer;

    expect(usage).toMatchObject({ images: 3, outputTokens: 12, isEstimated: false });
  });

  test("the vendor's total, if there is one", () => {
    const end: ImageEvent = { type: "end", usage: tokens(20) };

    expect(writerAfter([picture(0, tokens(5)), end]).writer.usage.outputTokens).toBe(20);
    expect(writerAfter([picture(0)], 1, tokens(9)).writer.usage.outputTokens).toBe(9);
  });

  test("more by one picture while another is under way", () => {
    const { writer } = writerAfter([picture(0, tokens(5)), partial(1)]);

    expect(writer.usage).toMatchObject({
      images: 2,
      outputTokens: 5 + LEAST_TOKENS,
      isEstimated: true,
    });
    writer.giveUp();
    expect(writer.usage).toMatchObject({ images: 1, outputTokens: 5, isEstimated: false });
  });

  test("not more after the picture that was under way is complete", () => {
    expect(writerAfter([partial(0), picture(0)]).writer.usage.images).toBe(1);
  });
});

describe("fewer pictures than requested", () => {
  test("are noticed by their number, or by a failure", () => {
    expect(writerAfter([], 1).writer.isShort).toBe(true);
    expect(writerAfter([picture(0)]).writer.isShort).toBe(false);
    expect(writerAfter([picture(0)], 2).writer.isShort).toBe(true);
    expect(writerAfter([picture(0), picture(1)], 2).writer.isShort).toBe(false);
    expect(writerAfter([picture(0), FAILED], 1).writer.isShort).toBe(true);
  });

  test("end the stream, and none at all is a failure", () => {
    expect(writerAfter([picture(0)], 2).writer.end()).toBe("end of 1;");
    expect(() => writerAfter([FAILED]).writer.end()).toThrow("The upstream's answer has no image.");
  });
});

test("each event is written in the client's format, and the end is written separately", () => {
  const { writer, written } = writerAfter([partial(0), picture(0), FAILED, { type: "end" }]);

  expect(written).toEqual(["partial 0;", "picture 0;", "failed 1;", ""]);
  expect(writer.fail(new GatewayError("internal", "Oh."))).toBe("failed: Oh.");
});

interface Streamed {
  /** Events in each piece that arrives. */
  readonly pieces: readonly (readonly ImageEvent[])[];
  readonly failure?: unknown;
  readonly count?: number;
  /** The vendor's last event, which is not terminated. */
  readonly rest?: ImageEvent;
}

function lineOf(event: ImageEvent): string {
  return `data: ${JSON.stringify(event)}`;
}

/** Runs a stream that is over with its `end` event; all that the client gets. */
async function stream({ pieces, failure, count = 1, rest }: Streamed) {
  let closed = 0;
  let isOver = false;
  const reply: UpstreamReply = {
    status: 200,
    headers: new Map(),
    async pump(onPiece: OnPiece) {
      for (const events of pieces) {
        await onPiece(Buffer.from(events.map((each) => `${lineOf(each)}\n\n`).join("")));
      }
      if (rest !== undefined) await onPiece(Buffer.from(`${lineOf(rest)}\n`));
      if (failure !== undefined) throw failure;
    },
    readAll: () => Promise.reject(new Error("It is a stream.")),
    readFailure: () => Promise.reject(new Error("It is no failure.")),
    close: () => void closed++,
    [Symbol.dispose]() {},
  };
  const decoder = {
    get isOver() {
      return isOver;
    },
    read({ data }: { readonly data: string }): readonly ImageEvent[] {
      const event = JSON.parse(data) as ImageEvent;
      if (event.type === "failed" && event.index === 9) throw refusal;
      isOver = event.type === "end";
      return [event];
    },
  };
  const { writer } = writerAfter([], count);
  const images = new ImageStream(reply, decoder, writer, ["style"], 1_000);
  const sent: [string, boolean][] = [];
  const cause = await images
    .run((piece) => void sent.push([String(piece), images.isEnding]))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  images.close();
  return { images, sent, cause, closed };
}

const refusal = new GatewayError("content_filtered", "Refused.");
const END: ImageEvent = { type: "end", usage: tokens(9) };

describe("a stream of pictures", () => {
  test("is sent as it arrives, and its last piece is marked", async () => {
    const { images, sent, cause, closed } = await stream({
      pieces: [[partial(0)], [], [picture(0), END], [picture(5)]],
    });

    expect(cause).toBeUndefined();
    expect(sent).toEqual([
      ["partial 0;", false],
      ["picture 0;end of 1;", true],
    ]);
    expect([images.usage.outputTokens, images.lost, images.isTranslated]).toEqual([
      9,
      ["style"],
      true,
    ]);
    expect([images.takeOutputText(), closed]).toEqual(["", 1]);
    expect(images.fail(refusal)).toBe("failed: Refused.");
  });

  test("ignores everything after its end within one piece", async () => {
    const { sent } = await stream({ pieces: [[picture(0), END, picture(1)]] });

    expect(sent).toEqual([["picture 0;end of 1;", true]]);
  });

  test("may end with an event that is not terminated", async () => {
    const { sent, cause } = await stream({ pieces: [[picture(0)]], rest: END });

    expect(cause).toBeUndefined();
    expect(sent.at(-1)).toEqual(["end of 1;", true]);
  });

  test("reports missing pictures at its end, and not before", async () => {
    const short = await stream({ pieces: [[picture(0), END]], count: 2 });
    const broken = await stream({ pieces: [[picture(0)]], count: 2 });

    expect(short.images.lost).toEqual(["style", "n"]);
    expect(broken.images.lost).toEqual(["style"]);
  });

  test("that breaks off is a failure, in which a picture under way is not charged", async () => {
    const { images, cause } = await stream({ pieces: [[picture(0), partial(1)]] });

    expect(cause).toMatchObject({
      code: "upstream_failed",
      message: "The upstream's response ended before it was complete.",
    });
    expect(images.usage.images).toBe(1);
  });

  test("that the client ends is charged with the picture under way", async () => {
    const { images, cause } = await stream({
      pieces: [[picture(0), partial(1)]],
      failure: new GatewayError("canceled", "Gone."),
    });

    expect(cause).toMatchObject({ code: "canceled" });
    expect(images.usage.images).toBe(2);
  });

  test("sends the part before a failure in the same piece, and then fails", async () => {
    const failing: ImageEvent = { ...FAILED, index: 9 } as ImageEvent;

    const late = await stream({ pieces: [[picture(0), failing]] });
    const early = await stream({ pieces: [[failing]] });

    expect([late.cause, late.sent]).toEqual([refusal, [["picture 0;", false]]]);
    expect([early.cause, early.sent]).toEqual([refusal, []]);
  });

  test("with an event that is too long is a failure", async () => {
    const long: ImageEvent = { ...picture(0), picture: { url: "x".repeat(2_000) } } as ImageEvent;

    expect((await stream({ pieces: [], rest: long })).cause).toMatchObject({
      message: "The upstream sent an event that is too long.",
    });
  });
});

describe("complete pictures for a client that wants a stream", () => {
  async function sentOf(answer: Partial<Images>) {
    const { writer } = writerAfter([], 2);
    const images = new WholeImages({ pictures: [PICTURE], ...answer }, writer, ["style"]);
    const sent: [string, boolean][] = [];
    await images.run((piece) => void sent.push([String(piece), images.isEnding]));
    return { images, sent };
  }

  const failure = { code: "upstream_failed", message: "No." } as const;

  test("are sent one by one, with failures and the end in the last piece", async () => {
    const { images, sent } = await sentOf({
      pictures: [PICTURE, PICTURE],
      failures: [failure, failure],
    });

    expect(sent).toEqual([
      ["picture 0;", false],
      ["picture 1;", false],
      ["failed 2;failed 3;end of 2;", true],
    ]);
    expect([images.usage.images, images.lost, images.isTranslated]).toEqual([2, ["style"], true]);
    expect([images.takeOutputText(), images.fail(refusal)]).toEqual(["", "failed: Refused."]);
  });

  test("may have no failures", async () => {
    expect((await sentOf({})).sent.at(-1)).toEqual(["end of 1;", true]);
  });
});

test("the vendor's metadata comes with each complete picture, if there is some", async () => {
  const abouts: unknown[] = [];
  const encoder: ImageEncoder = {
    ...ENCODER,
    encode: (event) => `${abouts.push("about" in event ? event.about : "none")}`,
  };
  for (const about of [{ size: "1K" }, undefined]) {
    const answer: Images = { pictures: [PICTURE], ...(about === undefined ? {} : { about }) };
    await new WholeImages(answer, new PictureWriter(REQUEST, encoder), []).run(() => {});
  }

  expect(abouts).toEqual([{ size: "1K" }, "none"]);
});

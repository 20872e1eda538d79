import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ImageEncoder, ImageEvent, ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { UpstreamRequest } from "#egress/egress.ts";
import type { JsonObject } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { findProvider } from "#providers/index.ts";
import type { ImageEndpoint } from "#providers/provider.ts";
import { aChannel } from "#test/a-channel.ts";
import { callDeps } from "#test/call-deps.ts";
import { wholeReply, type SaidWhole } from "#test/whole-reply.ts";
import { DRAW, drawStream } from "./draw.ts";
import type { OperateDeps, OperationCall } from "./operate.ts";
import type { Candidate } from "./routing/route.ts";

const picture = { url: "https://files.example/a.png" };

/** Says one event for each of the vendor's, and ends with the second one. */
function openDecoder() {
  let count = 0;
  return {
    get isOver() {
      return count > 1;
    },
    read({ data }: SseEvent): readonly ImageEvent[] {
      count++;
      const event = JSON.parse(data) as ImageEvent;
      return [event];
    },
  };
}

const ENCODER: ImageEncoder = {
  encode: (event) => `${event.type} `,
  end: ({ outputTokens }) => `end of ${outputTokens}`,
  fail: ({ message }) => `failed: ${message}`,
};

const JSON_TYPE = "application/json; charset=utf-8";
const STREAM = [
  { type: "picture", index: 0, picture },
  { type: "end", usage: { ...NO_USAGE, outputTokens: 9 } },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join("");

interface Scene {
  readonly said?: SaidWhole | GatewayError;
  readonly question?: Partial<ImageRequest>;
  readonly streams?: boolean;
  readonly maxInputs?: number;
  readonly isStrict?: boolean;
}

/** Asks a vendor for pictures; all that happened meanwhile. */
function scene({
  said = { text: STREAM, type: "text/event-stream" },
  question = {},
  streams = true,
  maxInputs = 2,
  isStrict = false,
}: Scene = {}) {
  const asked: ImageRequest[] = [];
  const requests: UpstreamRequest[] = [];
  const endpoint = {
    style: {
      id: "pictures",
      outbound: {
        build(request: ImageRequest, { report }: OutboundContext) {
          asked.push(request);
          if (request.style !== undefined) report.lose("style");
          return { model: request.model };
        },
        parse: ({ pictures }: JsonObject) => ({
          pictures: Array.from({ length: Number(pictures) }, () => picture),
          usage: { ...NO_USAGE, outputTokens: 5 },
        }),
        parseError: () => ({ code: "upstream_failed", message: "The vendor failed." }),
        ...(streams ? { openDecoder } : {}),
      },
    },
    path: "/pictures",
    maxInputs,
    pictures: { inlines: false, types: ["image/png"] },
  } as unknown as ImageEndpoint;
  const openai = findProvider("openai");
  if (openai === undefined) throw new Error("A provider was expected.");
  const candidate: Candidate = {
    channel: aChannel({ maxConcurrent: 5 }),
    provider: { ...openai, images: [endpoint] },
    upstreamModel: "upstream-m",
    price: undefined,
    traits: {},
    suffixes: [],
  };
  const gateway = callDeps(candidate, async (request) => {
    requests.push(request);
    if (said instanceof GatewayError) throw said;
    return wholeReply(said);
  });
  const media = { follow: () => Promise.reject(new Error("This link leads nowhere.")) };
  const call = {
    id: "call-1",
    key: { id: 5, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "pictures" },
    facts: { model: "m", stream: true, maxOutputTokens: undefined, choices: 1 },
    inputTokens: 1,
    signal: new AbortController().signal,
    at: 7_900,
    startedAt: 1_000,
    isStrict,
    question: {
      model: "m",
      task: "generate",
      turns: [{ role: "user", parts: ["a fox"] }],
      stream: true,
      ...question,
    },
    count: async () => NO_USAGE,
  } as unknown as OperationCall<ImageRequest>;
  const times: number[] = [];
  const openEncoder = (_: ImageRequest, at: number): ImageEncoder => {
    times.push(at);
    return ENCODER;
  };
  const deps = { ...gateway.deps, media, maxPixels: 4, pendingMs: 1_000 } as unknown as OperateDeps;
  const run = async () => {
    const answer = await drawStream(call, openEncoder, deps);
    const pieces: string[] = [];
    const isComplete = await answer.send({ write: (piece) => void pieces.push(String(piece)) });
    return { said: pieces.join(""), isComplete, lost: answer.lost };
  };
  return { ...gateway, run, asked, requests, times };
}

const errorOf = (told: Promise<unknown>): Promise<GatewayError> =>
  told.then(
    () => expect.unreachable("A failure was expected."),
    (cause: unknown) => GatewayError.from(cause),
  );
const whole = (pictures: number) => ({ type: JSON_TYPE, text: JSON.stringify({ pictures }) });

describe("images for a client that requested a stream", () => {
  test("are sent as they arrive, settled before their end, and may take long", async () => {
    const { run, events, settled, requests, asked, times } = scene();

    expect(await run()).toEqual({ said: "picture end of 9", isComplete: true, lost: [] });
    expect(events).toEqual(["sent", "settled"]);
    expect(settled).toMatchObject([{ usage: { outputTokens: 9 } }]);
    expect(requests).toMatchObject([{ isSlow: true }]);
    expect(asked).toMatchObject([{ stream: true, model: "upstream-m" }]);
    expect(times).toEqual([7]);
  });

  test("also come as a stream without a content type", async () => {
    expect((await scene({ said: { text: STREAM } }).run()).said).toBe("picture end of 9");
  });

  test("are sent all at once if the vendor's format does not stream", async () => {
    const { run, asked } = scene({ streams: false, said: whole(1) });

    expect(await run()).toMatchObject({ said: "picture end of 5", lost: [] });
    expect(asked).toMatchObject([{ stream: false }]);
  });

  test("are sent all at once if they take more than one request", async () => {
    const { run, asked } = scene({ question: { count: 3 }, said: whole(2) });
    await run();
    expect(asked).toMatchObject([
      { stream: false, count: 2 },
      { stream: false, count: 1 },
    ]);

    const together = scene({ question: { count: 2 } });
    await together.run();
    expect(together.asked).toMatchObject([{ stream: true, count: 2 }]);
    const one = scene({ maxInputs: 1 });
    await one.run();
    expect(one.asked).toMatchObject([{ stream: true }]);
  });

  test("are sent all at once if the vendor answers a stream request with JSON", async () => {
    const { run, asked } = scene({ said: whole(1) });

    expect(await run()).toEqual({ said: "picture end of 5", isComplete: true, lost: [] });
    expect(asked).toMatchObject([{ stream: true }]);
  });

  test("are reported as too few if the vendor made fewer", async () => {
    for (const streams of [true, false]) {
      const { run } = scene({ streams, said: whole(1), question: { count: 2 } });
      expect((await run()).lost).toEqual(["n"]);
    }
  });

  test("are refused to a strict client if a field of the request or the result is lost", async () => {
    const style = scene({ isStrict: true, question: { style: "vivid" } });
    expect((await errorOf(style.run())).param).toBe("style");
    expect(style.requests).toEqual([]);
    // The link cannot be followed, so the picture stays a link.
    const linked = { said: whole(1), question: { delivery: "base64" } } as const;
    expect((await errorOf(scene({ ...linked, isStrict: true }).run())).param).toBe(
      "response_format",
    );
    expect((await scene(linked).run()).lost).toEqual(["response_format"]);
    expect((await scene({ said: whole(1), isStrict: true }).run()).isComplete).toBe(true);
  });

  test("release the hold if they fail before they began", async () => {
    const { run, events, closed } = scene({ said: new GatewayError("upstream_failed", "Failed.") });

    expect((await errorOf(run())).code).toBe("upstream_failed");
    expect([events, closed.length]).toEqual([["sent", "money given back"], 1]);
  });

  test("are refused if no channel of their model makes images", () => {
    expect(DRAW.endpointsOf({} as never)).toEqual([]);
    const images = [{}] as never;
    expect(DRAW.endpointsOf({ images } as never)).toBe(images);
  });
});

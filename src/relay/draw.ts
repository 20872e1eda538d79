import { GatewayError } from "#core/error.ts";
import { image, type ImageEncoder, type ImageRequest, type Images } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import type { ImageEndpoint } from "#providers/provider.ts";
import { admit } from "./admit.ts";
import type { AnswerStream } from "./delivery/answer-stream.ts";
import { callWithFailover, type UpstreamTransport } from "./failover/attempt.ts";
import type { StreamedAnswer } from "./call.ts";
import { Delivery } from "./delivery/deliver.ts";
import { streamToClient } from "./delivery/stream-to-client.ts";
import { ImageStream, PictureWriter, WholeImages } from "./delivery/image-stream.ts";
import { endable } from "./metering/open-calls.ts";
import {
  ask,
  planFor,
  toolsFor,
  wholeOf,
  write,
  type OperationCall,
  type OperateDeps,
  type Operation,
  type OperationRoute,
} from "./operate.ts";
import { finishPictures, preparePictures, unixSeconds } from "./pictures.ts";

/** Image generation, for all vendors and formats. */
export const DRAW: Operation<ImageRequest, Images, ImageEndpoint> = {
  ...image,
  family: "images",
  endpointsOf: ({ images }) => images ?? [],
  prepare: preparePictures,
  finish: finishPictures,
};

/** `at`: time of the request, in Unix seconds. */
type OpenEncoder = (question: ImageRequest, at: number) => ImageEncoder;

/** Streams images as they arrive; all at once if the upstream does not stream. */
export async function drawStream(
  asked: OperationCall<ImageRequest>,
  openEncoder: OpenEncoder,
  deps: OperateDeps,
): Promise<StreamedAnswer> {
  // An image takes minutes, with or without partial images in between.
  const call = endable({ ...asked, isSlow: true });
  const planner = { plan: () => planFor(call, DRAW, deps) };
  const { plan, settlement } = await admit(call, planner, deps.admission);
  try {
    const begun = await callWithFailover(
      call,
      plan,
      settlement,
      deps.attempts,
      async (route, transport) =>
        Delivery.begin(
          await openStream(
            call,
            route,
            transport,
            openEncoder(call.question, unixSeconds(call.at)),
            deps,
          ),
          deps.delivery,
          SSE_COMMENT,
        ),
    );
    return await streamToClient(call, begun.answer, begun, settlement, { begun });
  } catch (cause) {
    const error = GatewayError.from(cause);
    await settlement.fail(error);
    throw error;
  }
}

async function openStream(
  call: OperationCall<ImageRequest>,
  route: OperationRoute<ImageEndpoint>,
  transport: UpstreamTransport,
  encoder: ImageEncoder,
  deps: OperateDeps,
): Promise<AnswerStream> {
  const { question, isStrict } = call;
  const { style, maxInputs } = route.endpoint;
  const { openDecoder } = style.outbound;
  if (openDecoder === undefined || (question.count ?? 1) > maxInputs) {
    const whole = { ...call, question: { ...question, stream: false } };
    const { answer, lost } = await ask(whole, route, DRAW, transport, deps);
    return new WholeImages(answer, new PictureWriter(question, encoder, answer.usage), lost);
  }
  const report = new LossReport();
  const named = { ...question, model: route.upstreamModel };
  const tools = toolsFor(route, call, report, deps);
  const prepared = await preparePictures(named, route.endpoint, tools);
  const reply = await transport.post(route, write(prepared, route, report, isStrict));
  // Some upstreams accept a stream request and respond with JSON.
  if ((reply.headers.get("content-type") ?? "").includes("json")) {
    const body = await wholeOf(Promise.resolve(reply), style.outbound);
    const found = style.outbound.parse(body, prepared);
    const joined = DRAW.join([{ question: prepared, answer: found }], prepared);
    const answer = await finishPictures(joined, prepared, tools);
    if (isStrict) report.refuseIfAny();
    for (const options of image.shortOf?.(answer, prepared) ?? []) report.lose(options);
    return new WholeImages(
      answer,
      new PictureWriter(question, encoder, answer.usage),
      report.fields,
    );
  }
  return new ImageStream(
    reply,
    openDecoder(prepared),
    new PictureWriter(question, encoder),
    report.fields,
    deps.delivery.maxPictureEventBytes,
  );
}

import { afterAll, beforeAll, expect, test } from "bun:test";
import { textOf } from "#lib/values.ts";
import { openOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from "#test/otlp-receiver.ts";
import { waitFor } from "#test/wait.ts";
import { openVideos } from "./videos/asked.ts";

const CLIENT_TRACE = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";
const SECRET_TRACE = "11111111111111111111111111111111";
const MODEL = "kling-v2-6";
const INTERNAL = 1;
const CLIENT = 3;

let collector: OtlpReceiver;
/** Of the task of a client with a trace, and of one without. */
const ids: string[] = [];

beforeAll(async () => {
  collector = openOtlpReceiver();
  let taken = 0;
  const answered = new Set<string>();
  // The first attempt of each webhook is refused.
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const id = request.headers.get("webhook-id") ?? "";
      if (answered.has(id)) taken++;
      const status = answered.has(id) || !id.endsWith(".succeeded") ? 200 : 503;
      answered.add(id);
      return new Response("{}", { status });
    },
  });
  {
    await using at = await openVideos("kling", [MODEL], {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `${receiver.port}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const ask = async (headers: Readonly<Record<string, string>>): Promise<void> => {
      const body = { model: MODEL, prompt: "a fox", callback_url: receiver.url.href };
      const answer = await at.post("/v1/video/generations", body, headers);
      ids.push(textOf(answer.body["task_id"]) ?? textOf(answer.body["id"]) ?? "");
    };
    await ask({ traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` });
    await ask({});
    // A client that is not sampled decides for all that follows from its call.
    await ask({ traceparent: `00-${SECRET_TRACE}-${CLIENT_SPAN}-00` });
    for (const id of ids) await waitFor(() => at.costOf(id) !== undefined, 20_000);
    await waitFor(() => taken >= 3, 20_000);
  }
  await receiver.stop(true);
  await collector[Symbol.asyncDispose]();
}, 60_000);
afterAll(() => collector[Symbol.asyncDispose]());

function spansOf(id: string | undefined, name: string): readonly ReceivedSpan[] {
  return collector.spans.filter(
    (span) => span.name.startsWith(name) && span.attributes["sluice.request_id"] === id,
  );
}

test("the call that creates a task continues its client's trace, with its attempt below it", () => {
  const [id, other] = ids;
  const [creation] = spansOf(id, "call ");
  const attempts = collector.spans.filter(({ parentSpanId }) => parentSpanId === creation?.spanId);

  expect(creation).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT_SPAN });
  expect(attempts.filter(({ kind }) => kind === CLIENT)).toMatchObject([
    { isError: false, attributes: { "sluice.channel": "sim", "gen_ai.request.model": MODEL } },
  ]);
  expect(spansOf(other, "call ")).toHaveLength(1);
  expect(spansOf(other, "call ")[0]?.traceId).not.toBe(CLIENT_TRACE);
});

test("its life is a span below its creation", () => {
  for (const id of ids.slice(0, 2)) {
    const [creation] = spansOf(id, "call ");
    const lives = spansOf(id, "task ");

    expect(lives).toMatchObject([
      {
        kind: INTERNAL,
        traceId: creation?.traceId ?? "",
        parentSpanId: creation?.spanId ?? "",
        attributes: { "sluice.outcome": "completed", "sluice.channel": "sim" },
      },
    ]);
    expect(lives[0]?.attributes["sluice.cost_usd"]).toBeGreaterThan(0);
  }
});

test("each poll and each attempt of a webhook is linked to the creation of its task", () => {
  for (const id of ids.slice(0, 2)) {
    const [creation] = spansOf(id, "call ");
    const links = [{ traceId: creation?.traceId ?? "", spanId: creation?.spanId ?? "" }];
    const polls = spansOf(id, "poll ");
    const done = spansOf(id, "deliver webhook").filter(({ attributes }) =>
      String(attributes["sluice.webhook.id"]).endsWith(".succeeded"),
    );

    expect(polls.length).toBeGreaterThan(0);
    for (const span of [...polls, ...done]) expect(span).toMatchObject({ kind: CLIENT, links });
    expect(polls.at(-1)?.attributes).toMatchObject({
      "sluice.channel": "sim",
      "gen_ai.provider.name": "kling",
      "sluice.task.found": "succeeded",
    });
    expect(new Set([...polls, ...done].map(({ traceId }) => traceId))).not.toContain(
      creation?.traceId ?? "",
    );
    expect(done.map(({ isError, attributes }) => [isError, attributes["error.type"]])).toEqual([
      [true, "503"],
      [false, undefined],
    ]);
    expect(done.map(({ attributes }) => attributes["sluice.webhook.state"])).toEqual([
      "pending",
      "delivered",
    ]);
  }
});

test("nothing is sent about a task whose client's trace is not sampled", () => {
  const [, , id] = ids;

  expect(spansOf(id, "")).toEqual([]);
});

test("metrics count polls and attempts of webhooks", () => {
  const named = (name: string) => collector.metrics.findLast((metric) => metric.name === name);
  const polls = named("sluice.task.poll.duration");
  const attempts = named("sluice.webhook.delivery.duration");
  const countOf = (state: string) =>
    attempts?.points.find(({ attributes }) => attributes["sluice.webhook.state"] === state)?.count;

  expect(polls).toMatchObject({ unit: "s", type: "histogram" });
  expect(
    polls?.points.find(({ attributes }) => attributes["sluice.task.found"] === "succeeded"),
  ).toMatchObject({ count: 3, attributes: { "gen_ai.provider.name": "kling" } });
  expect(countOf("pending")).toBe(3);
  expect(countOf("delivered")).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(collector.metrics)).not.toContain(ids[0] ?? "-");
});

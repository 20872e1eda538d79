import type { CallRecord } from "#core/call.ts";
import type { Attributes, MetricState } from "#core/telemetry.ts";
import { Histogram } from "#lib/histogram.ts";
import { defined } from "#lib/values.ts";
import { telemetryNameOf } from "#providers/telemetry-name.ts";
import { isInference, operationOf } from "./operation.ts";
import type { TraceNames } from "./describe-trace.ts";
import { histogramState, SECONDS } from "./histogram-state.ts";

/** Bounds of counts of tokens in OpenTelemetry's conventions for generative AI. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
type MetricNames = Pick<TraceNames, "providerOf" | "modelOf">;

const MAX_SERIES = 1_000;
const OTHER = "other";

/** Counts finished calls by the metrics of OpenTelemetry's conventions for generative AI. */
export class GenAiMetrics {
  readonly #series = new Map<string, Series>();
  readonly #names: MetricNames;

  constructor(names: MetricNames) {
    this.#names = names;
  }

  /** `chunks`: the times between the chunks of a stream. */
  count(record: CallRecord, chunks: Histogram | undefined): void {
    const provider = this.#providerOf(record);
    const model = this.#names.modelOf(record);
    // A call that no upstream was asked for is no operation of a provider.
    if (provider === undefined || model === undefined) return;
    const series = this.#seriesOf(record, telemetryNameOf(provider), model);
    series.count(record);
    if (chunks !== undefined) series.chunks.add(chunks);
  }

  read(): readonly MetricState[] {
    const all = [...this.#series.values()];
    const generating = all.filter(({ attributes }) =>
      isInference(String(attributes["gen_ai.operation.name"])),
    );
    const others = all.filter((series) => !generating.includes(series));
    const streamed = generating.filter(({ firstChunks }) => firstChunks.count > 0);
    return [
      histogramState(
        "gen_ai.client.inference.duration",
        "s",
        DURATION,
        generating,
        (each) => each.seconds,
      ),
      histogramState(
        "gen_ai.client.inference.time_to_first_chunk",
        "s",
        "Time to the first chunk of a streamed answer.",
        streamed,
        (each) => each.firstChunks,
      ),
      histogramState(
        "gen_ai.client.inference.time_per_output_chunk",
        "s",
        "Time from a chunk of a streamed answer to the next.",
        generating.filter(({ chunks }) => chunks.count > 0),
        (each) => each.chunks,
      ),
      histogramState(
        "gen_ai.client.operation.duration",
        "s",
        DURATION,
        others,
        (each) => each.seconds,
      ),
      histogramState(
        "gen_ai.client.inference.operation.input_tokens",
        "{token}",
        "Input tokens of an operation.",
        generating,
        (each) => each.inputs,
      ),
      histogramState(
        "gen_ai.client.inference.operation.output_tokens",
        "{token}",
        "Output tokens of an operation.",
        generating,
        (each) => each.outputs,
      ),
      ...COUNTERS.map(({ name, description, modalities }) => ({
        name: `gen_ai.client.inference.usage.${name}`,
        unit: "{token}",
        description,
        points: generating.flatMap((series) =>
          modalities.flatMap(({ modality, member }) =>
            series[member] === 0 && modality !== "text"
              ? []
              : [{ attributes: withModality(series.attributes, modality), value: series[member] }],
          ),
        ),
      })),
    ].filter(({ points }) => points.length > 0);
  }

  /** Of the channel that answered, or else of the last attempt. */
  #providerOf({ provider, attempts }: CallRecord): string | undefined {
    const last = attempts.at(-1);
    return provider ?? (last && (this.#names.providerOf(last.channel) ?? "unknown"));
  }

  #seriesOf(record: CallRecord, provider: string, model: string): Series {
    const { style, fault } = record;
    const operation = operationOf(style);
    const key = `${operation}\n${provider}\n${model}\n${fault ?? ""}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES && model !== OTHER) {
      return this.#seriesOf(record, provider, OTHER);
    }
    const made = new Series(
      defined({
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "error.type": fault ?? undefined,
      }),
    );
    this.#series.set(key, made);
    return made;
  }
}

class Series {
  readonly attributes: Attributes;
  readonly seconds = new Histogram(SECONDS);
  readonly firstChunks = new Histogram(SECONDS);
  readonly chunks = new Histogram(SECONDS);
  readonly inputs = new Histogram(TOKENS);
  readonly outputs = new Histogram(TOKENS);
  textInput = 0;
  imageInput = 0;
  audioInput = 0;
  textOutput = 0;
  imageOutput = 0;
  audioOutput = 0;
  cacheRead = 0;
  cacheWrite = 0;
  reasoning = 0;

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }

  count({ usage, durationMs, firstByteMs, isStream }: CallRecord): void {
    const { audioInputTokens, audioOutputTokens } = usage;
    const { imageInputTokens = 0, imageOutputTokens = 0 } = usage;
    this.seconds.observe(durationMs / 1_000);
    if (isStream && firstByteMs !== null) this.firstChunks.observe(firstByteMs / 1_000);
    this.inputs.observe(usage.inputTokens);
    this.outputs.observe(usage.outputTokens);
    this.imageInput += imageInputTokens;
    this.audioInput += audioInputTokens;
    this.textInput += Math.max(0, usage.inputTokens - imageInputTokens - audioInputTokens);
    this.imageOutput += imageOutputTokens;
    this.audioOutput += audioOutputTokens;
    this.textOutput += Math.max(0, usage.outputTokens - imageOutputTokens - audioOutputTokens);
    this.cacheRead += usage.cachedInputTokens;
    this.cacheWrite += usage.cacheWriteTokens;
    this.reasoning += usage.reasoningTokens;
  }
}

const DURATION = "Duration of an operation.";

/** Counters of tokens, by modality if the convention has them so. */
const COUNTERS = [
  {
    name: "input_tokens",
    description: "Input tokens, with cached ones.",
    modalities: [
      { modality: "text", member: "textInput" },
      { modality: "image", member: "imageInput" },
      { modality: "audio", member: "audioInput" },
    ],
  },
  {
    name: "output_tokens",
    description: "Output tokens.",
    modalities: [
      { modality: "text", member: "textOutput" },
      { modality: "image", member: "imageOutput" },
      { modality: "audio", member: "audioOutput" },
    ],
  },
  {
    name: "cache_read.input_tokens",
    description: "Input tokens that were read from a cache.",
    modalities: [{ modality: "text", member: "cacheRead" }],
  },
  {
    name: "cache_write.input_tokens",
    description: "Input tokens that were written to a cache.",
    modalities: [{ modality: "text", member: "cacheWrite" }],
  },
  {
    name: "reasoning.output_tokens",
    description: "Output tokens of reasoning.",
    modalities: [{ modality: "text", member: "reasoning" }],
  },
] as const;

function withModality(attributes: Attributes, modality: string): Attributes {
  return { ...attributes, "gen_ai.token.modality": modality };
}

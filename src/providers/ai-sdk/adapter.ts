import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { AdapterWay, TextAdapter } from "../provider.ts";
import { asGatewayError } from "./failure.ts";
import { loadModel, type LanguageModel, type ModelSource } from "./load.ts";
import { inNewerTerms } from "./newer-prompt.ts";
import { buildOptions } from "./options-out.ts";
import { PartReader } from "./part-reader.ts";
import { readUrlPatterns } from "./supported-urls.ts";
import { traitsOf, type PackageTraits } from "./traits.ts";
import { ToolPlans } from "./tool-plan.ts";
import { itemsOf, membersOf } from "./unknown.ts";
import { readWarnings } from "./warnings-in.ts";
import { partsOf } from "./whole-in.ts";

/** Speaks to a vendor through one of the packages that share the language-model interface. */
export function adapterOver(sourceFor: (way: AdapterWay) => ModelSource): TextAdapter {
  return {
    async *answer(request, way) {
      try {
        const plans = new ToolPlans();
        const source = sourceFor({
          ...way,
          fetch: (input, init) => way.fetch(input, plans.writeInto(init)),
        });
        const model = await loadModel(source, request.model);
        yield* answered(request, way, model, traitsOf(source.package), plans);
      } catch (cause) {
        throw asGatewayError(cause);
      }
    },
  };
}

async function* answered(
  request: ChatRequest,
  way: AdapterWay,
  model: LanguageModel,
  traits: PackageTraits,
  plans: ToolPlans,
): AsyncGenerator<ChatEvent> {
  const { report, isStrict } = way;
  const urls = await readUrlPatterns(model.supportedUrls);
  const built = buildOptions(request, { traits, report, urls }, way.traits, model.version);
  if (traits.hasToolPlans === true) plans.see(built.prompt);
  const options = model.version === "v4" ? inNewerTerms(built) : built;
  checkWarnings(await model.foreseeWarnings(options), way);
  if (isStrict) report.refuseIfAny();

  const reader = new PartReader(traits);
  if (!request.stream && traits.readsStreamsOnly !== true) {
    const answer = await model.doGenerate(options);
    checkWarnings(membersOf(answer)["warnings"], way);
    for (const part of partsOf(answer)) yield* reader.read(part);
    yield* reader.end(true);
    return;
  }
  for await (const part of streamOf(await model.doStream(options))) {
    const { type, warnings } = membersOf(part);
    if (type === "stream-start") checkWarnings(warnings, way);
    yield* reader.read(part);
  }
  yield* reader.end(false);
}

function checkWarnings(warnings: unknown, { report, isStrict }: AdapterWay): void {
  if (itemsOf(warnings).length === 0) return;
  readWarnings(warnings, report);
  if (isStrict) report.refuseIfAny();
}

function streamOf(result: unknown): ReadableStream<unknown> {
  const { stream } = membersOf(result);
  if (stream instanceof ReadableStream) return stream;
  throw new GatewayError("upstream_failed", "The upstream did not stream its response.");
}

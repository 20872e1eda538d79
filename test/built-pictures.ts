import { GatewayError } from "#core/error.ts";
import { image, type ImageRequest } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ImageEndpoint, Provider } from "#providers/provider.ts";
import { gateway } from "#styles/image/gateway/index.ts";

interface Built {
  /** As the vendor gets them: one for each part of the question. */
  readonly bodies: readonly JsonObject[];
  readonly lost: readonly string[];
}

/** What a vendor is sent for a caller's body; throws what the caller is answered instead. */
export function builtFor(provider: Provider, body: JsonObject): Built {
  const question = gateway.inbound.read(body, {});
  const { style, dialect, maxInputs } = rowFor(provider, question);
  const report = new LossReport();
  const bodies = image.split(question, maxInputs).map((part) => {
    const built = style.outbound.build(part, { report, model: {}, ...(dialect && { dialect }) });
    if (built instanceof Form) throw new Error("It is a form.");
    return built;
  });
  return { bodies, lost: report.fields };
}

/** `n: 'n' must be 1 for this model.` */
export function refusalFor(provider: Provider, body: JsonObject): string {
  try {
    builtFor(provider, body);
  } catch (cause) {
    if (cause instanceof GatewayError) return `${cause.param}: ${cause.message}`;
    throw cause;
  }
  return "";
}

export function rowFor({ images = [] }: Provider, question: ImageRequest): ImageEndpoint {
  const row = images.find(
    (each) => (each.serves?.(question.model) ?? true) && (each.answers?.(question) ?? true),
  );
  if (row === undefined) throw new Error(`Nobody draws with ${question.model}.`);
  return row;
}

import { openTestGateway, type TestGateway } from "#test/harness.ts";
import {
  answerTokens,
  openPictureVendor,
  type PictureVendor,
  type Seen,
} from "#test/picture-vendor.ts";

const MODELS = [
  "gpt-image-1",
  "gpt-image-1-mini",
  "gpt-image-1.5",
  "gpt-image-2",
  "gpt-image-2.5-flare",
  "dall-e-3",
  "dall-e-2",
];

export interface Place extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly vendor: PictureVendor;
}

/** A million tokens in are 10 dollars, and out 40. */
export async function openPlace(
  respond: (seen: Seen) => Response | Promise<Response> = answerTokens,
  provider = "openai",
  models: readonly string[] = MODELS,
): Promise<Place> {
  const vendor = openPictureVendor(respond);
  const prices = models.map((model) => `"${model}": { input: 10, output: 40 }`);
  const gateway = await openTestGateway({
    yaml: `
channels:
  - { name: one, provider: ${provider}, base_url: "${vendor.url}", api_key: upstream-secret, models: [${models.join(", ")}] }
models: { ${prices.join(", ")} }`,
  });
  return {
    gateway,
    vendor,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

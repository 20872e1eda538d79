import type { Channel } from "#core/channel.ts";
import { simulatedChannels, type SimulatedVendor } from "#relay/routing/environment-channels.ts";

/** Opens the simulator if no channel is configured: one channel per simulated vendor. */
export async function openSimulator(
  maxConcurrent: number,
  opened: AsyncDisposableStack,
): Promise<readonly Channel[]> {
  // Imported on demand, so that gateways with channels do not load the simulators.
  const { startSandbox } = await import("@sluice/sandbox/server.ts");
  const { SANDBOX_PAIR } = await import("@sluice/sandbox/key-pairs.ts");
  const { url } = opened.use(await startSandbox());
  return simulatedChannels(vendorsAt(url, SANDBOX_PAIR), maxConcurrent);
}

/** A simulated model for a first call. */
export const SIMULATED_MODEL = "gpt-4o-mini";

/** A placeholder: the simulator accepts any key, except for signed requests. */
const KEY = "sk-simulated";

/** The URL of each simulated vendor. `pair`: the key pair for signatures. */
function vendorsAt(url: string, pair: string): Readonly<Record<string, SimulatedVendor>> {
  const at = (path: string): SimulatedVendor => ({ baseUrl: url + path, secret: KEY });
  return {
    openai: at("/openai/v1"),
    anthropic: at("/anthropic/v1"),
    gemini: at("/gemini/v1beta"),
    dashscope: at("/dashscope/compatible-mode/v1"),
    ark: {
      ...at("/ark/api/v3"),
      secret: `${KEY}|${pair}`,
      options: { assets_url: `${url}/ark/` },
    },
    jina: at("/jina/v1"),
    kling: at("/kling"),
    vidu: at("/vidu"),
    minimax: at("/minimax"),
    jimeng: { ...at("/jimeng"), secret: pair },
  };
}

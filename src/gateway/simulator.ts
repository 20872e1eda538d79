import type { Channel } from "#core/channel.ts";
import { simulatedChannels, type SimulatedVendor } from "#relay/routing/environment-channels.ts";

/** Where nobody has described a channel, it stands in: a channel for each vendor that it plays. */
export async function openSimulator(
  maxConcurrent: number,
  opened: AsyncDisposableStack,
): Promise<readonly Channel[]> {
  // A gateway with channels of its own need not hold the simulators in memory.
  const { startSandbox } = await import("#sandbox/server.ts");
  const { SANDBOX_PAIR } = await import("#sandbox/key-pairs.ts");
  const { url } = opened.use(await startSandbox());
  return simulatedChannels(vendorsAt(url, SANDBOX_PAIR), maxConcurrent);
}

/** One that it has, for a first call. */
export const SIMULATED_MODEL = "gpt-4o-mini";

/** A key that says nothing: any will do, but where requests are signed. */
const KEY = "sk-simulated";

/** Where it plays which vendor. `pair`: what it knows signatures by. */
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

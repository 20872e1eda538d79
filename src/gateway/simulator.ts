import type { Channel } from "#core/channel.ts";
import { simulatedChannels } from "#relay/own-channels.ts";

/** Where nobody has described a channel, it stands in: a channel for each vendor that it plays. */
export async function openSimulator(
  maxConcurrent: number,
  opened: AsyncDisposableStack,
): Promise<readonly Channel[]> {
  // A gateway with channels of its own need not hold the simulators in memory.
  const { startSandbox } = await import("#sandbox/server.ts");
  const { SANDBOX_PAIR } = await import("#sandbox/key-pairs.ts");
  const { url } = opened.use(await startSandbox());
  return simulatedChannels(vendorsAt(url), SANDBOX_PAIR, maxConcurrent);
}

/** Where it plays which vendor. */
function vendorsAt(url: string): Readonly<Record<string, string>> {
  return {
    openai: `${url}/openai/v1`,
    anthropic: `${url}/anthropic/v1`,
    gemini: `${url}/gemini/v1beta`,
    dashscope: `${url}/dashscope/compatible-mode/v1`,
    ark: `${url}/ark/api/v3`,
    jina: `${url}/jina/v1`,
    kling: `${url}/kling`,
    vidu: `${url}/vidu`,
    minimax: `${url}/minimax`,
    jimeng: `${url}/jimeng`,
  };
}

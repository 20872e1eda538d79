import type { Config } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { askReadiness } from "./client.ts";
import { urlOf } from "./reach.ts";

interface HealthInput {
  readonly isJson?: boolean;
  readonly output: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  loadConfig(): Config;
}

/** Shorter than the usual time limit of a health check, so that the check says the cause. */
const ANSWER_MS = 3_000;

/**
 * `sluice health`: asks the running gateway for `/readyz`. Returns 1 if it does
 * not welcome calls, for health checks of images without a shell.
 */
export async function health({ isJson, output, env, loadConfig }: HealthInput): Promise<0 | 1> {
  const show = (ready: boolean, text: string): 0 | 1 => {
    output.write(`${isJson ? JSON.stringify({ ready, text }) : text}\n`);
    return ready ? 0 : 1;
  };
  let url: string;
  try {
    url = env["SLUICE_URL"] ?? urlOf(loadConfig().settings);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return show(false, cause.message);
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { ok, status } = await askReadiness(url, signal);
    return show(ok, ok ? `${url} is ready.` : `${url} is not ready (${status}).`);
  } catch {
    return show(false, `No gateway answers at ${url}.`);
  }
}

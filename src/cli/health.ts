import type { Config } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { urlOf } from "./reach.ts";

interface HealthInput {
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
export async function health({ output, env, loadConfig }: HealthInput): Promise<0 | 1> {
  let url: string;
  try {
    url = env["SLUICE_URL"] ?? urlOf(loadConfig().settings);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    output.write(`${cause.message}\n`);
    return 1;
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { ok, status } = await fetch(`${url.replace(/\/+$/, "")}/readyz`, { signal });
    output.write(ok ? `${url} is ready.\n` : `${url} is not ready (${status}).\n`);
    return ok ? 0 : 1;
  } catch {
    output.write(`No gateway answers at ${url}.\n`);
    return 1;
  }
}

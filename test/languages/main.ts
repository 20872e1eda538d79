import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { KEY } from "#test/harness.ts";
import { openClientsGateway } from "./gateway.ts";
import { openRecorder } from "./recorder.ts";
import type { RecordedRequest } from "./recording.ts";
import { cacheFolder, install, reasonMissing, runSteps, TOOLCHAINS } from "./toolchains.ts";

/**
 * Clients of other languages against a gateway in front of the simulators.
 * Words that name a language pick it, other words pick steps; `--record`
 * writes what was sent by steps that passed into `recorded/`.
 */
const words = process.argv.slice(2);
const isRecording = words.includes("--record");
const languages = words.filter((word) => TOOLCHAINS.some(({ id }) => id === word));
const picked = words.filter((word) => !word.startsWith("--") && !languages.includes(word));
// Ending the process ends what it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

let [passed, failed] = [0, 0];
for (const toolchain of TOOLCHAINS) {
  const { id } = toolchain;
  if (languages.length > 0 && !languages.includes(id)) continue;
  const missing = await reasonMissing(toolchain);
  if (missing !== undefined) {
    say(`${id}: left out, since ${missing}.`);
    continue;
  }
  let folder: string;
  try {
    folder = await install(toolchain, cacheFolder(process.env));
  } catch (cause) {
    failed++;
    say(`${id}: FAIL, not installed: ${cause instanceof Error ? cause.message : String(cause)}`);
    continue;
  }
  const gateway = await openClientsGateway();
  const recorder = openRecorder(gateway.url);
  const { lines, trouble } = await runSteps(toolchain, folder, [recorder.url, KEY, ...picked]);
  const good = new Set<string>();
  for (const line of lines) {
    const said = parseJson(line);
    if (!isObject(said)) continue;
    const [client, step] = [textOf(said["client"]), textOf(said["step"])];
    const [failure, absent] = [textOf(said["failure"]), textOf(said["missing"])];
    if (absent !== undefined) say(`${id}: ${client} ${step}: left out: ${absent}`);
    else if (failure === undefined) {
      passed++;
      good.add(`${client} ${step}`);
      say(`${id}: ${client} ${step}: ok`);
    } else {
      failed++;
      say(`${id}: ${client} ${step}: FAIL: ${failure}`);
    }
  }
  if (trouble !== undefined) {
    failed++;
    say(`${id}: FAIL: ${trouble}`);
  }
  if (isRecording) {
    const kept = recorder.requests.filter(({ client, step }) => good.has(`${client} ${step}`));
    keep(id, kept);
  }
  await recorder.stop();
  await gateway[Symbol.asyncDispose]();
}
say(`${passed} steps passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function keep(language: string, requests: readonly RecordedRequest[]): void {
  const folder = join(import.meta.dir, "recorded");
  mkdirSync(folder, { recursive: true });
  const lines = requests.map((each) => `${JSON.stringify(each)}\n`);
  writeFileSync(join(folder, `${language}.jsonl`), lines.join(""));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

import "./runtime-settings.ts";
import { audit } from "#cli/audit.ts";
import { backup, restore } from "#cli/backup.ts";
import { auditRows } from "#cli/audit-rows.ts";
import { check } from "#cli/check.ts";
import type { ApiClient } from "#cli/client.ts";
import type { Noun } from "#cli/command.ts";
import { COMMANDS, NOUNS } from "#cli/commands.ts";
import { completionScript, SHELLS } from "#cli/completion.ts";
import { doctor } from "#cli/doctor.ts";
import { health } from "#cli/health.ts";
import { describeHelp, helpAskedFor, unknownCommand } from "#cli/help.ts";
import { unexpectedWord } from "#cli/plain-arguments.ts";
import { openApiClient } from "#cli/reach.ts";
import { runNoun } from "#cli/run.ts";
import { type ConfigInput, loadConfig } from "#config.ts";
import { readFileHead } from "#config/read-file-head.ts";
import { openLog } from "#lib/log.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import { VERSION } from "#version.ts";

const input: ConfigInput = {
  env: process.env,
  readFile: readFileHead,
  knownProviders: PROVIDERS.map(requirementsOf),
};

const typed = process.argv.slice(2);
const [command = "start", ...words] = typed;
const helpFor = helpAskedFor(typed);
if (helpFor === undefined) await run();
else process.exitCode = showHelp(helpFor);

async function run(): Promise<void> {
  const unexpected = unexpectedWord(command, words);
  if (unexpected !== undefined) {
    process.stderr.write(`${unexpected}\n\n${describeHelp(command, COMMANDS) ?? ""}`);
    process.exitCode = 2;
    return;
  }
  const isJson = words.includes("--json");
  switch (command) {
    case "start":
      process.exitCode = await runStart(words.includes("--dev"));
      break;
    case "check":
      process.exitCode = check({ ...input, isJson, output: process.stdout });
      break;
    case "audit":
      process.exitCode = ["list", "head"].includes(words[0] ?? "")
        ? await runOnApi(auditRows)
        : await audit({ ...input, words, output: process.stdout });
      break;
    case "backup":
      process.exitCode = await backup(backupInput());
      break;
    case "restore":
      process.exitCode = await restore(backupInput());
      break;
    case "doctor":
      process.exitCode = await doctor({
        isJson,
        output: process.stdout,
        loadConfig: () => loadConfig(input),
        reach,
      });
      break;
    case "health":
      process.exitCode = await health({
        isJson,
        output: process.stdout,
        env: process.env,
        loadConfig: () => loadConfig(input),
      });
      break;
    case "completion":
      process.exitCode = showCompletion(words);
      break;
    case "version":
    case "--version":
      process.stdout.write(`${VERSION}\n`);
      break;
    default:
      process.exitCode = await runOther(command);
  }
}

/** Loaded here, because other commands need a sixth of the program, and start in a quarter of the time. */
async function runStart(isDevelopment: boolean): Promise<number> {
  const { start } = await import("./start.ts");
  const code = await start(isDevelopment, input);
  // The runtime's watch would wait for the next change of a file.
  return isDevelopment ? process.exit(code) : code;
}

function backupInput(): Parameters<typeof backup>[0] {
  const { stdout: output, stderr: errors } = process;
  return { ...input, words, output, errors, version: VERSION };
}

function showHelp(name: string): 0 | 2 {
  const text = describeHelp(name, COMMANDS);
  if (text === undefined) return refuseCommand(name);
  process.stdout.write(text);
  return 0;
}

function showCompletion([shell, ...others]: readonly string[]): 0 | 2 {
  const script = others.length > 0 ? undefined : completionScript(shell, COMMANDS);
  if (script === undefined) {
    process.stderr.write(`Give one of: ${SHELLS.join(", ")}.\n`);
    return 2;
  }
  process.stdout.write(script);
  return 0;
}

function refuseCommand(name: string): 2 {
  process.stderr.write(`${unknownCommand(name, COMMANDS)}'sluice help' lists the commands.\n`);
  return 2;
}

async function runOther(name: string): Promise<number> {
  const noun = NOUNS.find((each) => each.name === name);
  return noun === undefined ? refuseCommand(name) : await runOnApi(noun);
}

async function runOnApi(noun: Noun): Promise<number> {
  return await runNoun(noun, words, {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    reach,
    readLink,
    env: process.env,
  });
}

/** Applies the same rules as for clients' links, as far as they are configured. */
async function readLink(url: string): Promise<string> {
  const { readDocument } = await import("#egress/read-document.ts");
  const { linkNetworks, linkPorts } = loadConfig(input).settings;
  return await readDocument(url, { allow: linkNetworks, ports: linkPorts });
}

/** Connects to a running gateway, or opens the database of one that does not run. */
function reach(): Promise<ApiClient> {
  return openApiClient({
    env: process.env,
    loadConfig: () => loadConfig(input),
    async openOffline(config) {
      const { openOffline } = await import("./gateway.ts");
      const composed = await openOffline({ config, env: process.env, log: openLog("error") });
      return {
        place: "the database",
        send: (path, init) =>
          composed.handle(
            new Request(`http://localhost${path}`, {
              ...init,
              headers: { ...init.headers, authorization: `Bearer ${composed.token}` },
            }),
          ),
        verifyLedger: async () =>
          (await composed.verifyLedger()).map(({ rule, subject }) => `${rule} (${subject})`),
        [Symbol.asyncDispose]: () => composed[Symbol.asyncDispose](),
      };
    },
  });
}

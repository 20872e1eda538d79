import { audit, AUDIT_USAGE } from "#cli/audit.ts";
import { check } from "#cli/check.ts";
import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { readFileHead } from "#config/read-file-head.ts";
import { type Logger, openLog } from "#lib/log.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import { type Gateway, openGateway } from "./gateway.ts";

const USAGE = `Usage: sluice <command>

  start   runs the gateway
  check   shows the configuration and where each value comes from, or all its mistakes
  audit   verifies the audit log: ${AUDIT_USAGE}
  help    this text
`;

const ONE_KEY_PRESS_MS = 1_000;
const LAST_DRAIN_MS = 5_000;

const input: ConfigInput = {
  env: process.env,
  readFile: readFileHead,
  knownProviders: PROVIDERS.map(requirementsOf),
};

const [command = "start", ...words] = process.argv.slice(2);
switch (command) {
  case "start":
    process.exitCode = await start(words.includes("--dev"));
    break;
  case "check":
    process.exitCode = check({ ...input, output: process.stdout });
    break;
  case "audit":
    process.exitCode = await audit({ ...input, words, output: process.stdout });
    break;
  case "help":
  case "--help":
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`There is no command '${command}'.\n\n${USAGE}`);
    process.exitCode = 2;
}

/** Runs until a signal. */
async function start(isDevelopment: boolean): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(input);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return 1;
  }

  const log = openLog(config.settings.logLevel);
  const stopped = firstSignal();
  try {
    const gateway = await openGateway({
      config,
      env: process.env,
      log,
      onFatal: () => process.exit(1),
      ...(isDevelopment ? { onStream: await openStreamWatch(log) } : {}),
    });
    onBug((cause) => endAfterBug(gateway, log, cause));
    process.stdout.write(greeting(gateway, config));
    const signal = await stopped;
    log.info({ signal }, "draining; once more to stop at once");
    await gateway.close();
    return 0;
  } catch (cause) {
    reportFailure(log, cause);
    return 1;
  }
}

/** In development every stream that is written here is held against the grammar of its style. */
async function openStreamWatch(log: Logger): Promise<(style: string, text: string) => void> {
  const { streamFaults } = await import("#test/grammar/index.ts");
  return (style, text) => {
    for (const fault of streamFaults(style, text)) log.error({ style, fault }, "a faulty stream");
  };
}

/**
 * The first signal asks to stop; one that comes later does not wait. One key
 * press can arrive twice, from the terminal and from the launcher.
 */
function firstSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt > ONE_KEY_PRESS_MS) process.exit(1);
    firstAt ??= now;
    resolve(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  return promise;
}

function onBug(end: (cause: unknown) => void): void {
  process.once("uncaughtException", end);
  process.once("unhandledRejection", end);
}

/** After a failure that nobody foresaw nothing is certain: what runs may end, then whoever supervises us starts anew. */
function endAfterBug(gateway: Gateway, log: Logger, cause: unknown): void {
  log.fatal({ err: cause }, "unforeseen failure");
  const give = (): never => process.exit(1);
  setTimeout(give, LAST_DRAIN_MS);
  gateway.close().then(give, give);
}

function reportFailure(log: Logger, cause: unknown): void {
  log.debug({ err: cause }, "start");
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`Sluice could not start: ${why}\n`);
}

function greeting({ url, channels, firstKey, setupToken }: Gateway, { settings }: Config): string {
  const key =
    firstKey ?? (settings.bootstrapKey === undefined ? "$SLUICE_KEY" : "$SLUICE_BOOTSTRAP_KEY");
  const isSimulated = channels.some((channel) => channel.isSimulated);
  const model = modelToTry(channels);
  return [
    `Sluice listens on ${url}`,
    ...(isSimulated
      ? [
          "No channel is configured, so answers are SIMULATED: set OPENAI_API_KEY, or write a sluice.yaml.",
        ]
      : [
          `${channels.length} channel${channels.length === 1 ? "" : "s"}: ${channels.map((each) => each.name).join(", ")}`,
        ]),
    firstKey === undefined
      ? `Key: ${settings.bootstrapKey === undefined ? "as made earlier" : "SLUICE_BOOTSTRAP_KEY"}`
      : `Your first key, shown only now: ${firstKey}`,
    "",
    "Try:",
    `  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello."}]}'`,
    ...(setupToken === undefined
      ? []
      : [
          "",
          "Nobody can log in yet. Within the next hour, for the root account:",
          `  curl ${url}/api/user/setup -H "Content-Type: application/json" \\`,
          `    --data '{"token":"${setupToken}","email":"you@example.com","password":"..."}'`,
        ]),
    "",
  ].join("\n");
}

function modelToTry(channels: Gateway["channels"]): string {
  for (const { models } of channels) {
    if (models.kind === "listed") for (const name of models.upstreamNames.keys()) return name;
  }
  return "gpt-4o-mini";
}

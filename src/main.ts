import { check } from "#cli/check.ts";
import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { readFileHead } from "#config/read-file-head.ts";
import { type Logger, openLog } from "#lib/log.ts";
import { PROVIDERS } from "#providers/index.ts";
import { type Gateway, openGateway } from "./gateway.ts";

const USAGE = `Usage: sluice <command>

  start   runs the gateway
  check   shows the configuration and where each value comes from, or all its mistakes
  help    this text
`;

const input: ConfigInput = {
  env: process.env,
  readFile: readFileHead,
  knownProviders: PROVIDERS.map((each) => ({
    id: each.id,
    needsKey: each.needsKey,
    needsBaseUrl: each.baseUrl === undefined,
    styles: each.text.map((endpoint) => endpoint.style.id),
  })),
};

const [command = "start"] = process.argv.slice(2);
switch (command) {
  case "start":
    process.exitCode = await start();
    break;
  case "check":
    process.exitCode = check({ ...input, output: process.stdout });
    break;
  case "help":
  case "--help":
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`There is no command '${command}'.\n\n${USAGE}`);
    process.exitCode = 2;
}

/** Runs until a signal; the second one does not wait for anybody. */
async function start(): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(input);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return 1;
  }

  const log = openLog(config.settings.logLevel);
  const stopped = nextSignal();
  try {
    const gateway = await openGateway({
      config,
      env: process.env,
      log,
      onFatal: () => process.exit(1),
    });
    process.stdout.write(greeting(gateway, config));
    const signal = await stopped;
    log.info({ signal }, "draining; once more to stop at once");
    void nextSignal().then(() => process.exit(1));
    await gateway.close();
    return 0;
  } catch (cause) {
    reportFailure(log, cause);
    return 1;
  }
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
}

function reportFailure(log: Logger, cause: unknown): void {
  log.debug({ err: cause }, "start");
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`Sluice could not start: ${why}\n`);
}

function greeting({ url, channels, firstKey }: Gateway, { settings }: Config): string {
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
    "",
  ].join("\n");
}

function modelToTry(channels: Gateway["channels"]): string {
  for (const { models } of channels) {
    if (models.kind === "listed") for (const name of models.upstreamNames.keys()) return name;
  }
  return "gpt-4o-mini";
}

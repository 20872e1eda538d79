import { availableParallelism } from "node:os";
import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import { describeMisspelt } from "#config/misspelt-variables.ts";
import { ConfigError } from "#config/mistakes.ts";
import { type Logger, openLog } from "#lib/log.ts";
import { runWorkers } from "#workers/run-workers.ts";
import { countWorkers } from "#workers/worker-count.ts";
import { openWorkerLink } from "#workers/worker-link.ts";
import { type Gateway, openGateway, VERSION } from "./gateway.ts";

const ONE_KEY_PRESS_MS = 1_000;
const LAST_DRAIN_MS = 5_000;
const LAUNCHER_CHECK_MS = 500;

/** `sluice start`: runs until a signal. Returns the exit code. */
export async function start(isDevelopment: boolean, input: ConfigInput): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(input);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return 1;
  }

  const log = openLog(config.settings.logLevel);
  try {
    const { host, port, workers, databaseUrl } = config.settings;
    const machine = {
      hasPostgres: databaseUrl !== undefined,
      cores: availableParallelism(),
      platform: process.platform,
    };
    let gateway: Gateway | undefined;
    const link = openWorkerLink(process.env, () => gateway?.renderMetrics() ?? "");
    const isAlone = isDevelopment || link !== undefined;
    const { count, reason } = countWorkers(isAlone ? 1 : workers, machine);
    if (count > 1) {
      const { stdout: output } = process;
      return await runWorkers({ count, host, port, log, output, firstSignal });
    }
    const stopped = firstSignal(exitAtOnce);
    // A gateway that still starts, or waits for its database, has no calls to complete.
    void stopped.then(() => gateway ?? process.exit(0));
    gateway = await openGateway({
      config,
      env: process.env,
      log,
      onFatal: () => process.exit(1),
      onCredentialRefused: warnOnce(),
      ...(isDevelopment ? { onStream: await openStreamWatch(log) } : {}),
      workerLink: link,
    });
    const opened = gateway;
    onBug((cause) => endAfterBug(opened, log, cause));
    log.info({ version: VERSION, url: gateway.url }, "gateway started");
    for (const { name, meant } of config.misspelt) {
      log.warn({ variable: name, meant }, "environment variable ignored: it resembles a known one");
    }
    for (const { written, now } of config.formerNames) {
      log.warn({ setting: written, now }, "setting used under its former name");
    }
    const greeting = greet(gateway, config);
    if (link === undefined)
      process.stdout.write(reason === undefined ? greeting : `${greeting}${reason}\n`);
    else link.ready(gateway.url, greeting);
    await drainAfter(
      link === undefined ? stopped : Promise.race([stopped, link.retired]),
      gateway,
      log,
    );
    await link?.end(gateway.renderMetrics());
    return 0;
  } catch (cause) {
    reportFailure(log, cause);
    return 1;
  }
}

async function drainAfter(
  stopped: Promise<NodeJS.Signals | void>,
  gateway: Gateway,
  log: Logger,
): Promise<void> {
  const signal = await stopped;
  if (signal === undefined) {
    // Load balancers need not see it: another process already listens.
    log.info("another process took over; shutting down");
    await gateway.close("at once");
  } else {
    log.info({ signal }, "shutting down; send the signal again to exit immediately");
    await gateway.close();
  }
}

function exitAtOnce(): never {
  process.exit(1);
}

/** In development every written stream is checked against the grammar of its style. */
async function openStreamWatch(log: Logger): Promise<(style: string, text: string) => void> {
  const { streamFaults } = await import("#test/grammar/index.ts");
  return (style, text) => {
    for (const fault of streamFaults(style, text))
      log.error({ style, fault }, "stream violates its style");
  };
}

/**
 * The first signal starts a graceful shutdown; a later one exits immediately.
 * One key press can arrive twice, from the terminal and from the launcher.
 */
function firstSignal(onLater: (signal: NodeJS.Signals) => void): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt > ONE_KEY_PRESS_MS) onLater(signal);
    firstAt ??= now;
    resolve(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  whenLauncherIsGone(() => resolve("SIGTERM"));
  return promise;
}

/**
 * A killed launcher ends the gateway too, because otherwise it would keep its
 * port and its lock.
 */
function whenLauncherIsGone(act: () => void): void {
  const launcher = Number(process.env["SLUICE_LAUNCHER_PID"]);
  if (process.ppid !== launcher) return;
  const watch = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(watch);
    act();
  }, LAUNCHER_CHECK_MS);
  watch.unref();
}

function onBug(end: (cause: unknown) => void): void {
  process.once("uncaughtException", end);
  process.once("unhandledRejection", end);
}

/**
 * After an unexpected error the state is uncertain: running calls may finish,
 * then the supervisor restarts the process.
 */
function endAfterBug(gateway: Gateway, log: Logger, cause: unknown): void {
  log.fatal({ err: cause }, "unexpected error");
  const give = (): never => process.exit(1);
  setTimeout(give, LAST_DRAIN_MS);
  gateway.close("at once").then(give, give);
}

function reportFailure(log: Logger, cause: unknown): void {
  log.debug({ err: cause }, "start");
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`Sluice could not start: ${why}\n`);
}

function greet(gateway: Gateway, { settings, keys, misspelt }: Config): string {
  const { url, channels, firstKey, setupToken } = gateway;
  return [
    `Sluice ${VERSION} listens on ${url}`,
    describeChannels(channels),
    ...misspelt.map(describeMisspelt),
    firstKey === undefined
      ? `Key: ${describeKey(settings, keys)}`
      : `Your first key, shown only now: ${firstKey}`,
    `Base URLs: ${url}/openai/v1 for OpenAI clients, ${url} for Anthropic's and Google's`,
    ...(settings.console === "off" ? [] : [`Documentation: ${url}/docs`]),
    "",
    "Try:",
    ...describeCall(gateway, settings),
    ...(setupToken === undefined
      ? []
      : [
          "",
          "No user can log in yet. Create the root account's login within the next hour, in a browser:",
          `  ${url}/setup#${setupToken}`,
          "or with a command:",
          `  curl ${url}/api/user/setup -H "Content-Type: application/json" \\`,
          `    --data '{"token":"${setupToken}","email":"you@example.com","password":"..."}'`,
        ]),
    "",
  ].join("\n");
}

function describeKey(
  { bootstrapKey, configPath }: Config["settings"],
  keys: Config["keys"],
): string {
  if (bootstrapKey !== undefined) return "SLUICE_BOOTSTRAP_KEY";
  if (keys.length === 0) return "as made earlier";
  return `${keys.map(({ name }) => name).join(", ")}, as ${configPath ?? "the file"} has it`;
}

/** Without a known text model, the only safe request is the model list. */
function describeCall(
  { url, firstKey, modelToTry }: Gateway,
  { bootstrapKey }: Config["settings"],
): readonly string[] {
  const key = firstKey ?? (bootstrapKey === undefined ? "$SLUICE_KEY" : "$SLUICE_BOOTSTRAP_KEY");
  const authorization = `-H "Authorization: Bearer ${key}"`;
  if (modelToTry === undefined) return [`  curl ${url}/v1/models ${authorization}`];
  const messages = [{ role: "user", content: "Say hello." }];
  return [
    `  curl ${url}/v1/chat/completions ${authorization} -H "Content-Type: application/json" \\`,
    `    -d '${JSON.stringify({ model: modelToTry, messages })}'`,
  ];
}

/**
 * A wrong key is the most common mistake of a new installation, so it is
 * reported on the console.
 */
function warnOnce(): (channel: string, owner: string | undefined) => void {
  const told = new Set<string>();
  return (channel, owner = "its description in the database") => {
    if (told.has(channel)) return;
    told.add(channel);
    process.stdout.write(
      `WRONG KEY: the vendor of channel '${channel}' refuses its API key, so calls to it fail. Check ${owner}.\n`,
    );
  };
}

function describeChannels(channels: Gateway["channels"]): string {
  if (channels.some((channel) => channel.isSimulated)) {
    return "No channel is configured, so answers are SIMULATED: set OPENAI_API_KEY, or write a sluice.yaml.";
  }
  if (channels.length === 0) {
    return "No channel is configured, so no model is served: set OPENAI_API_KEY, or write a sluice.yaml. SLUICE_SANDBOX=on serves simulated models.";
  }
  const names = channels.map((each) => each.name).join(", ");
  return `${channels.length} channel${channels.length === 1 ? "" : "s"}: ${names}`;
}

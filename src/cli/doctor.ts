import { access, constants, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "#config.ts";
import { describeFormerName } from "#config/former-names.ts";
import { describeMisspelt } from "#config/misspelt-variables.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { flagOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { healthText, showProbes } from "./channels.ts";
import { ask, type ApiClient } from "./client.ts";
import { columns } from "./columns.ts";
import { cell } from "./command.ts";

interface DoctorInput {
  readonly isJson?: boolean;
  readonly output: { write(text: string): unknown };
  loadConfig(): Config;
  reach(): Promise<ApiClient>;
}

/** `doubtful` works now, but may fail soon or under load. */
interface Finding {
  readonly what: string;
  readonly verdict: "good" | "doubtful" | "bad";
  readonly why: string;
}

const GIB = 1024 ** 3;
/** A stream uses two sockets. */
const FEW_FILES = 8_192;
const ANSWER_MS = 60_000;

/**
 * `sluice doctor`: checks everything that a gateway needs and reports problems.
 * Returns 1 if a check failed.
 */
export async function doctor({ isJson, output, loadConfig, reach }: DoctorInput): Promise<0 | 1> {
  const findings: Finding[] = [];
  const run = async (what: string, check: () => Promise<Finding[]>): Promise<void> => {
    try {
      findings.push(...(await check()));
    } catch (cause) {
      findings.push(bad(what, cause instanceof Error ? cause.message : String(cause)));
    }
  };

  let config: Config | undefined;
  await run("configuration", async () => {
    config = loadConfig();
    return [
      good("configuration", config.settings.configPath ?? "no file"),
      ...config.misspelt.map((each) => doubtful("variables", describeMisspelt(each))),
      ...config.formerNames.map((each) => doubtful("configuration", describeFormerName(each))),
    ];
  });
  if (config !== undefined) await run("data folder", () => checkFolder(config));
  await run("open files", checkOpenFiles);
  if (config !== undefined) await run("gateway", () => checkGateway(reach));

  const rows = findings.map(({ what, verdict, why }) => [verdict, what, why]);
  const lines = isJson ? [JSON.stringify({ items: findings }, null, 2)] : columns(rows);
  output.write(`${lines.join("\n")}\n`);
  return findings.some(({ verdict }) => verdict === "bad") ? 1 : 0;
}

async function checkFolder(config: Config | undefined): Promise<Finding[]> {
  const { dataDir = "", secret } = config?.settings ?? {};
  if (!(await exists(dataDir))) {
    return [good("data folder", `${dataDir} does not exist yet; the first start creates it`)];
  }
  await access(dataDir, constants.W_OK);
  const { bavail, bsize } = await statfs(dataDir);
  const free = (bavail * bsize) / GIB;
  const space = `${free.toFixed(1)} GiB free at ${dataDir}`;
  const findings = [
    free < 0.2 ? bad("disk", space) : free < 2 ? doubtful("disk", space) : good("disk", space),
  ];
  const secretFile = join(dataDir, "secret");
  if (secret === undefined && (await exists(secretFile))) {
    const { mode } = await stat(secretFile);
    const isOpen = (mode & 0o077) !== 0;
    findings.push(
      isOpen
        ? bad("secret", `other users can read ${secretFile}: run chmod 600 on it`)
        : good("secret", `only its owner can read ${secretFile}; include it in your backups`),
    );
  }
  return findings;
}

async function checkOpenFiles(): Promise<Finding[]> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => undefined);
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(limits ?? "") ?? [];
  if (soft === "") return [];
  const why = `limit of ${soft} open files`;
  return [Number(soft) < FEW_FILES ? doubtful("open files", why) : good("open files", why)];
}

async function checkGateway(reach: () => Promise<ApiClient>): Promise<Finding[]> {
  await using gateway = await reach();
  const ready = await gateway.send("/readyz", {
    method: "GET",
    headers: {},
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const findings = [
    ready.ok
      ? good("gateway", `${gateway.place} is ready and can write to its database`)
      : bad("gateway", `${gateway.place} is not ready (${ready.status})`),
  ];
  if (gateway.verifyLedger !== undefined) {
    const violations = await gateway.verifyLedger();
    const [first] = violations;
    findings.push(
      first === undefined
        ? good("ledger", "every account equals the sum of its entries")
        : bad("ledger", `${violations.length} violations, such as: ${first}`),
    );
  }
  const { items } = await ask({ method: "GET", path: "/api/channel" }, gateway);
  const channels = listOf(items).filter(isObject);
  if (channels.length === 0) findings.push(bad("channels", "no channel is configured"));
  for (const channel of channels) findings.push(await checkChannel(channel, gateway));
  findings.push(...(await checkModels(gateway)));
  findings.push(await checkCatalog(gateway));
  return findings;
}

const MAX_NAMED = 3;

async function checkModels(gateway: ApiClient): Promise<Finding[]> {
  const found = await ask({ method: "GET", path: "/api/model?unpriced=true" }, gateway);
  return [checkPrices(found["items"]), ...checkLearnedRefusals(found["refused_members"])];
}

async function checkCatalog(gateway: ApiClient): Promise<Finding> {
  const state = await ask({ method: "GET", path: "/api/catalog" }, gateway);
  const [shipped = "", updated] = [textOf(state["shipped"]), textOf(state["updated"])];
  const date = updated !== undefined && updated > shipped ? updated : shipped;
  const why = `model prices and limits date from ${date}`;
  return flagOf(state["is_old"]) === true
    ? doubtful("catalogue", `${why}: update Sluice, or run 'sluice models update'`)
    : good("catalogue", why);
}

/** Refused fields that the catalogue should list. */
function checkLearnedRefusals(members: Json | undefined): Finding[] {
  return listOf(members).map((each) => {
    const [member = "", model = "", channel = ""] = ["member", "model", "channel"].map((name) =>
      textOf(memberOf(each, name)),
    );
    return doubtful(
      "learned",
      `requests for ${model} on channel ${channel} omit ${member}, because the vendor refused it`,
    );
  });
}

function checkPrices(items: Json | undefined): Finding {
  const names = listOf(items).flatMap((model) => textOf(memberOf(model, "name")) ?? []);
  if (names.length === 0) return good("prices", "every model has a price");
  const named = names.slice(0, MAX_NAMED).join(", ");
  const count = names.length === 1 ? "1 model has" : `${names.length} models have`;
  return doubtful(
    "prices",
    `${count} no price, such as ${named}: see 'sluice models list --unpriced'`,
  );
}

async function checkChannel(channel: JsonObject, gateway: ApiClient): Promise<Finding> {
  const name = textOf(channel["name"]) ?? "";
  const what = `channel ${name}`;
  if (textOf(channel["source"]) === "simulated") return doubtful(what, "responses are simulated");
  const health = healthText(channel);
  if (channel["status"] === 2) return good(what, health);
  const path = `/api/channel/${encodeURIComponent(cell(channel["id"] ?? name))}/test`;
  try {
    const tested = await ask({ method: "POST", path, body: {} }, gateway);
    const probes = showProbes(tested).join("; ");
    const isRefused = listOf(tested["probes"]).some(
      (each) => memberOf(each, "fault") === "upstream_auth",
    );
    const why = isRefused ? `the vendor refuses its API key: replace the key. ${probes}` : probes;
    if (flagOf(tested["ok"]) !== true)
      return bad(what, health === "" || health === "healthy" ? why : `${health}; ${why}`);
    return health === "" || health === "healthy"
      ? good(what, why)
      : doubtful(what, `${health}; ${why}`);
  } catch (cause) {
    return doubtful(what, cause instanceof Error ? cause.message : String(cause));
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

function good(what: string, why: string): Finding {
  return { what, verdict: "good", why };
}

function doubtful(what: string, why: string): Finding {
  return { what, verdict: "doubtful", why };
}

function bad(what: string, why: string): Finding {
  return { what, verdict: "bad", why };
}

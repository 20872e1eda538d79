import { access, constants, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "#config.ts";
import { describeFormerName } from "#config/former-names.ts";
import { describeMisspelt } from "#config/misspelt-variables.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { flagOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { showProbes } from "./channels.ts";
import { ask, type Reach } from "./client.ts";
import { columns } from "./columns.ts";
import { cell } from "./command.ts";

interface DoctorInput {
  readonly output: { write(text: string): unknown };
  loadConfig(): Config;
  reach(): Promise<Reach>;
}

/** `doubtful` works, but not for long or not for many. */
interface Finding {
  readonly what: string;
  readonly verdict: "good" | "doubtful" | "bad";
  readonly why: string;
}

const GIB = 1024 ** 3;
/** A stream holds two sockets. */
const FEW_FILES = 8_192;
const ANSWER_MS = 60_000;

/** `sluice doctor`: looks at all that a gateway needs, and says what is wrong. 1 where something is bad. */
export async function doctor({ output, loadConfig, reach }: DoctorInput): Promise<0 | 1> {
  const findings: Finding[] = [];
  const look = async (what: string, examine: () => Promise<Finding[]>): Promise<void> => {
    try {
      findings.push(...(await examine()));
    } catch (cause) {
      findings.push(bad(what, cause instanceof Error ? cause.message : String(cause)));
    }
  };

  let config: Config | undefined;
  await look("configuration", async () => {
    config = loadConfig();
    return [
      good("configuration", config.settings.configPath ?? "no file"),
      ...config.misspelt.map((each) => doubtful("variables", describeMisspelt(each))),
      ...config.formerNames.map((each) => doubtful("configuration", describeFormerName(each))),
    ];
  });
  if (config !== undefined) await look("data folder", () => lookAtFolder(config));
  await look("open files", lookAtOpenFiles);
  if (config !== undefined) await look("gateway", () => lookInside(reach));

  const rows = findings.map(({ what, verdict, why }) => [verdict, what, why]);
  output.write(`${columns(rows).join("\n")}\n`);
  return findings.some(({ verdict }) => verdict === "bad") ? 1 : 0;
}

async function lookAtFolder(config: Config | undefined): Promise<Finding[]> {
  const { dataDir = "", secret } = config?.settings ?? {};
  if (!(await exists(dataDir))) {
    return [good("data folder", `${dataDir} is made by the first start`)];
  }
  await access(dataDir, constants.W_OK);
  const { bavail, bsize } = await statfs(dataDir);
  const free = (bavail * bsize) / GIB;
  const space = `${free.toFixed(1)} GiB are free at ${dataDir}`;
  const findings = [
    free < 0.2 ? bad("disk", space) : free < 2 ? doubtful("disk", space) : good("disk", space),
  ];
  const secretFile = join(dataDir, "secret");
  if (secret === undefined && (await exists(secretFile))) {
    const { mode } = await stat(secretFile);
    const isOpen = (mode & 0o077) !== 0;
    findings.push(
      isOpen
        ? bad("secret", `${secretFile} can be read by others: chmod 600 it`)
        : good("secret", `${secretFile} is its owner's alone; is it in your backups?`),
    );
  }
  return findings;
}

async function lookAtOpenFiles(): Promise<Finding[]> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => undefined);
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(limits ?? "") ?? [];
  if (soft === "") return [];
  const why = `${soft} may be open at once`;
  return [Number(soft) < FEW_FILES ? doubtful("open files", why) : good("open files", why)];
}

async function lookInside(reach: () => Promise<Reach>): Promise<Finding[]> {
  await using house = await reach();
  const ready = await house.send("/readyz", {
    method: "GET",
    headers: {},
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const findings = [
    ready.ok
      ? good("gateway", `${house.place} is ready, and its database can be written`)
      : bad("gateway", `${house.place} is not ready (${ready.status})`),
  ];
  if (house.verifyLedger !== undefined) {
    const violations = await house.verifyLedger();
    const [first] = violations;
    findings.push(
      first === undefined
        ? good("ledger", "every account is the sum of its entries")
        : bad("ledger", `${violations.length} violations, such as: ${first}`),
    );
  }
  const { items } = await ask({ method: "GET", path: "/api/channel" }, house);
  const channels = listOf(items).filter(isObject);
  if (channels.length === 0) findings.push(bad("channels", "there is none"));
  for (const channel of channels) findings.push(await lookAtChannel(channel, house));
  findings.push(...(await lookAtModels(house)));
  findings.push(await lookAtCatalog(house));
  return findings;
}

const MAX_NAMED = 3;

async function lookAtModels(house: Reach): Promise<Finding[]> {
  const found = await ask({ method: "GET", path: "/api/model?unpriced=true" }, house);
  return [lookAtPrices(found["items"]), ...lookAtRefusals(found["refused_members"])];
}

async function lookAtCatalog(house: Reach): Promise<Finding> {
  const state = await ask({ method: "GET", path: "/api/catalog" }, house);
  const [shipped = "", updated] = [textOf(state["shipped"]), textOf(state["updated"])];
  const date = updated !== undefined && updated > shipped ? updated : shipped;
  const why = `prices and limits of models are those of ${date}`;
  return flagOf(state["is_old"]) === true
    ? doubtful("catalogue", `${why}: update Sluice, or run 'sluice models update'`)
    : good("catalogue", why);
}

/** What the catalogue ought to know. */
function lookAtRefusals(members: Json | undefined): Finding[] {
  return listOf(members).map((each) => {
    const [member = "", model = "", channel = ""] = ["member", "model", "channel"].map((name) =>
      textOf(memberOf(each, name)),
    );
    return doubtful(
      "learned",
      `${member} is left out of requests for ${model} on channel ${channel}: its vendor refused it`,
    );
  });
}

function lookAtPrices(items: Json | undefined): Finding {
  const names = listOf(items).flatMap((model) => textOf(memberOf(model, "name")) ?? []);
  if (names.length === 0) return good("prices", "every model has a price");
  const named = names.slice(0, MAX_NAMED).join(", ");
  const count = names.length === 1 ? "1 model has" : `${names.length} models have`;
  return doubtful(
    "prices",
    `${count} no price, such as ${named}: see 'sluice models list --unpriced'`,
  );
}

async function lookAtChannel(channel: JsonObject, house: Reach): Promise<Finding> {
  const name = textOf(channel["name"]) ?? "";
  const what = `channel ${name}`;
  if (textOf(channel["source"]) === "simulated") return doubtful(what, "its answers are simulated");
  if (channel["status"] === 2) return good(what, "disabled");
  const path = `/api/channel/${encodeURIComponent(cell(channel["id"] ?? name))}/test`;
  try {
    const tested = await ask({ method: "POST", path, body: {} }, house);
    const probes = showProbes(tested).join("; ");
    const isRefused = listOf(tested["probes"]).some(
      (each) => memberOf(each, "fault") === "upstream_auth",
    );
    const why = isRefused ? `the vendor refuses its API key: put in another. ${probes}` : probes;
    return flagOf(tested["ok"]) === true ? good(what, why) : bad(what, why);
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

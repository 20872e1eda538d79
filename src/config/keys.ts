import { FAMILIES, type Family } from "#core/family.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import type { RateLimits } from "#core/limits.ts";
import { writeUsd, type NanoUsd, parseUsd } from "#core/money.ts";
import { isDay } from "#lib/iso-date.ts";
import { openForm, readItems, readNode } from "./form.ts";
import { readLimits } from "./limits.ts";
import type { Report } from "./mistakes.ts";
import { readUniqueName } from "./names.ts";
import { choice, network, type Parser, text } from "./parsers.ts";
import { apiKey, type Secret } from "./secrets.ts";
import type { FileNode } from "./tree.ts";

/** A key that exists from the start; created once, identified by its name. */
export interface KeyConfig {
  readonly name: string;
  readonly secret: Secret;
  /** Model names that it may use; a trailing `*` matches a prefix. */
  readonly models: readonly string[];
  /** Unlimited if absent. */
  readonly quota?: NanoUsd;
  /** Unix ms. */
  readonly expiresAt?: number;
  /** Networks from which it may be used; any if absent. */
  readonly networks?: readonly string[];
  /** Endpoint families that it may call; all if absent. */
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
}

const FIELDS = ["name", "key", "models", "quota", "expires_at", "networks", "endpoints", "limits"];

export const usd: Parser<NanoUsd> = {
  expects: "an amount in US dollars, such as 25 or 0.5, of at most 9 decimals and 9007199",
  shows: "always",
  parse: parseUsd,
  format: writeUsd,
};

const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

export const instant: Parser<number> = {
  expects: "a date such as 2030-12-31 (its start, UTC) or 2030-12-31T18:00:00Z",
  shows: "always",
  parse(given) {
    const day = INSTANT.exec(given)?.[1];
    if (day === undefined) return undefined;
    const at = Date.parse(given);
    return isDay(day) && !Number.isNaN(at) ? at : undefined;
  },
  format: (at) => new Date(at).toISOString(),
};

export function readKeys(node: FileNode | undefined, report: Report): readonly KeyConfig[] {
  const takenNames = new Set<string>();
  const takenSecrets = new Set<string>();

  return readItems(node, report).flatMap((item) => {
    const form = openForm(item, FIELDS, report);
    if (form === undefined) return [];
    const name = readUniqueName(form, takenNames, report);
    const secret = form.required("key", apiKey);
    const models = readPatterns(form.find("models"), report);
    const quota = form.optional("quota", usd);
    const expiresAt = form.optional("expires_at", instant);
    const networks = readNetworks(form.find("networks"), report);
    const endpoints = readEndpoints(form.find("endpoints"), report);
    const limits = readLimits(form, report, { concurrency: true });

    if (name === undefined || secret === undefined) return [];
    if (takenSecrets.has(secret.open())) {
      report(form.find("key")?.place ?? form.place, "is already the key of another entry.");
    }
    takenSecrets.add(secret.open());
    return {
      name,
      secret,
      models,
      ...(quota === undefined ? {} : { quota }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(networks === undefined ? {} : { networks }),
      ...(endpoints === undefined ? {} : { endpoints }),
      ...(limits === undefined ? {} : { limits }),
    };
  });
}

const pattern = text('a model name, a prefix followed by *, or "*"', MODEL_PATTERN);

function readPatterns(node: FileNode | undefined, report: Report): readonly string[] {
  if (node === undefined) return ["*"];
  const items = readItems(node, report, "leave it out to allow all models.");
  return items.flatMap((item) => readNode(item, pattern, report) ?? []);
}

function readNetworks(node: FileNode | undefined, report: Report): readonly string[] | undefined {
  if (node === undefined) return undefined;
  const items = readItems(node, report, "leave it out to allow any address.");
  return items.flatMap((item) => readNode(item, network, report) ?? []);
}

const family = choice(...FAMILIES);

function readEndpoints(node: FileNode | undefined, report: Report): readonly Family[] | undefined {
  if (node === undefined) return undefined;
  const items = readItems(node, report, "leave it out to allow all endpoints.");
  return items.flatMap((item) => readNode(item, family, report) ?? []);
}

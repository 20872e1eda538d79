import { readdirSync } from "node:fs";

/** Where the dumps are; each is named after the last migration of its version. */
export const VERSIONS = new URL(".", import.meta.url).pathname;

/** What every kept database was made with. */
export const KEPT_SECRET = "a secret of kept databases, 32 characters";
export const KEY = "sk-kept-databases-0123456789abcdef";
export const EMAIL = "root@example.com";
export const PASSWORD = "a password of kept databases";

export type Engine = "sqlite" | "postgres";

/** The versions of which a database is kept, oldest first. */
export function keptVersions(engine: Engine): readonly string[] {
  const ending = `.${engine}.sql`;
  return readdirSync(VERSIONS)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .toSorted();
}

/** The configuration of a gateway whose models are those of one simulated vendor. */
export function channelTo(vendor: string): string {
  const fields = `provider: openai, base_url: "${vendor}/openai/v1", api_key: sk-kept, priority: 1`;
  return `channels:\n  - { name: vendor, ${fields} }\n`;
}

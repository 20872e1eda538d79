import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import type { AuditAnchor } from "#core/audit.ts";
import type { AuditReader } from "#storage/audit/audit-reader.ts";

interface AuditInput extends ConfigInput {
  /** The arguments after the command. */
  readonly words: readonly string[];
  readonly output: { write(text: string): unknown };
}

export const AUDIT_USAGE = "sluice audit verify [--anchor SEQ:DIGEST]";

const ANCHOR = /^([1-9]\d{0,14}):([\w-]{43})$/;

/**
 * `sluice audit verify`: verifies the digests of all rows of the audit log.
 * Returns 0 if the log is intact, 1 if it is not or cannot be read, 2 for
 * invalid arguments.
 */
export async function audit({ words, output, ...input }: AuditInput): Promise<0 | 1 | 2> {
  const anchor = readWords(words);
  if (anchor === "unknown") {
    output.write(`Usage: ${AUDIT_USAGE}\n`);
    return 2;
  }
  try {
    await using reader = await openReader(loadConfig(input));
    const problem = await verify(reader, anchor, output);
    if (problem === undefined) return 0;
    output.write(`${problem}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    output.write(
      cause instanceof ConfigError ? `${why}\n` : `The audit log cannot be read: ${why}\n`,
    );
  }
  return 1;
}

function readWords([verb, option, value, ...more]: readonly string[]):
  | AuditAnchor
  | undefined
  | "unknown" {
  if (verb !== "verify" || more.length > 0) return "unknown";
  if (option === undefined) return undefined;
  const [, seq, digest] = ANCHOR.exec(value ?? "") ?? [];
  if (option !== "--anchor" || seq === undefined || digest === undefined) return "unknown";
  return { seq: Number(seq), digest };
}

async function openReader({ settings }: Config): Promise<AuditReader> {
  const { openAuditReader } = await import("#storage/audit/audit-reader.ts");
  const { dataDir, databaseUrl, secret } = settings;
  return openAuditReader({
    dataDir,
    ...(databaseUrl === undefined ? {} : { databaseUrl: databaseUrl.open() }),
    ...(secret === undefined ? {} : { secret: secret.open() }),
  });
}

/** The problem as a sentence. */
async function verify(
  reader: AuditReader,
  anchor: AuditAnchor | undefined,
  output: AuditInput["output"],
): Promise<string | undefined> {
  let head: AuditAnchor | undefined;
  for (;;) {
    const { last, broken, isEnd } = await reader.verify(head?.seq ?? 0);
    if (broken !== undefined) return `Row ${broken.seq} ${broken.problem}.`;
    head = last;
    if (isEnd) break;
  }
  if (anchor !== undefined && (await reader.findDigest(anchor.seq)) !== anchor.digest) {
    return `Row ${anchor.seq} differs from the anchor: the log was truncated or replaced.`;
  }
  const found = head === undefined ? "The log is empty." : `Its head is ${head.seq}:${head.digest}`;
  output.write(`The audit log is intact. ${found}\n`);
  return undefined;
}

import { statSync } from "node:fs";
import { findSecretFile } from "#storage/secrets/secrets.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { Routing } from "./routing.ts";

type Needs = Pick<Infrastructure, "settings" | "publicUrl"> & Pick<Routing, "channelRegistry">;

const LOOPBACK = /^(127(\.\d+){3}|::1|\[::1\]|localhost)$/i;
const USUAL_PASSWORDS = ["", "postgres", "password", "sluice", "secret", "admin", "root", "123456"];

/**
 * Problems of the operator's secrets that the gateway can see, as sentences by a stable name. Strength
 * of passwords is unknown, because only their digests are stored.
 */
export function openSecretProblems(needs: Needs): () => Readonly<Record<string, string>> {
  const fixed = fixedProblems(needs);
  return () => {
    const unreadable = needs.channelRegistry.channels
      .filter(({ issue }) => issue === "credential_unreadable")
      .map(({ channel }) => channel.name);
    if (unreadable.length === 0) return fixed;
    const text = `The credentials of ${unreadable.join(", ")} cannot be decrypted: set them again.`;
    return { ...fixed, credentials: text };
  };
}

/** Of settings that only change with a restart. */
function fixedProblems({ settings, publicUrl }: Needs): Readonly<Record<string, string>> {
  const { host, dataDir, secret, databaseUrl, metricsToken } = settings;
  const isOpen = !LOOPBACK.test(host);
  const file = findSecretFile(dataDir, secret?.open());
  const problems = {
    secret_file:
      file !== undefined && isReadableByOthers(file)
        ? "Other users of the machine can read the secret of the gateway: run chmod 600 on its file."
        : undefined,
    database_password:
      databaseUrl !== undefined && hasUsualPassword(databaseUrl.open())
        ? "The password of the database is missing or a usual one. Choose another one."
        : undefined,
    metrics:
      isOpen && metricsToken === undefined
        ? "Everyone who reaches the gateway can read /metrics. Set metrics_token."
        : undefined,
    public_url:
      publicUrl?.startsWith("http://") === true &&
      !LOOPBACK.test(URL.parse(publicUrl)?.hostname ?? "")
        ? "The public URL is not https: keys and passwords travel unencrypted."
        : undefined,
  };
  return Object.fromEntries(
    Object.entries(problems).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

function isReadableByOthers(path: string): boolean {
  try {
    return (statSync(path).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

/** A database on this machine may need no password. */
function hasUsualPassword(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || LOOPBACK.test(url.hostname) || url.hostname === "") return false;
  const password = decodeURIComponent(url.password).toLowerCase();
  return USUAL_PASSWORDS.includes(password) || password === url.username.toLowerCase();
}

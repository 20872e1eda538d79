import type { Config } from "#config.ts";
import { createSecret } from "#core/key.ts";
import type { Storage } from "#storage/open.ts";

/** Not a valid name for a configured key, so that names cannot collide. */
const BOOTSTRAP = "(bootstrap)";

/** Creates the root user, the configured keys, and a first key if there would be none. */
export async function ensureKeys(
  { keys, settings }: Pick<Config, "keys" | "settings">,
  storage: Pick<Storage, "users" | "keys">,
): Promise<string | undefined> {
  const root = await storage.users.ensureRoot();
  const { bootstrapKey } = settings;
  // If the file lists the same key with a name and limits, those apply.
  const isNamed = keys.some((key) => key.secret.open() === bootstrapKey?.open());
  const named = [
    ...(bootstrapKey === undefined || isNamed
      ? []
      : [{ name: BOOTSTRAP, secret: bootstrapKey, models: ["*"] }]),
    ...keys,
  ];
  for (const { secret, ...entry } of named) {
    await storage.keys.syncNamed({ userId: root.id, ...entry, secret: secret.open() });
  }
  if (named.length > 0 || (await storage.keys.list(root.id)).length > 0) return undefined;

  const secret = createSecret();
  await storage.keys.create({ userId: root.id, name: "first", models: ["*"], secret });
  return secret;
}

/**
 * There is no default password: it comes from the settings, or the operator
 * sets it with the set-up token.
 */
export async function ensureLogin(
  { settings }: Pick<Config, "settings">,
  storage: Pick<Storage, "users" | "logins">,
): Promise<string | undefined> {
  const { adminEmail, adminPassword } = settings;
  if (adminEmail !== undefined && adminPassword !== undefined) {
    await storage.users.ensureRootLogin(adminEmail, adminPassword.open());
  }
  return await storage.logins.issueSetupToken();
}

import type { Config } from "#config.ts";
import { createSecret } from "#core/key.ts";
import type { Storage } from "#storage/open.ts";

/** No name of a configured key looks like it, so that they cannot meet. */
const BOOTSTRAP = "(bootstrap)";

/** The root user, the keys of the configuration, and a first key where there would be none. */
export async function ensureKeys(
  { keys, settings }: Pick<Config, "keys" | "settings">,
  storage: Pick<Storage, "users" | "keys">,
): Promise<string | undefined> {
  const root = await storage.users.ensureRoot();
  const { bootstrapKey } = settings;
  // The file may well give the same key a name and bounds of its own; then those hold.
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

/** There is never a password that nobody chose: either the settings have one, or whoever starts us does. */
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

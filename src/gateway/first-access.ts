import type { Config } from "#config.ts";
import type { KeyConfig } from "#config/keys.ts";
import { createSecret } from "#core/key.ts";
import type { Storage } from "#storage/open.ts";

/** Not a valid name for a configured key, so that names cannot collide. */
const BOOTSTRAP = "(bootstrap)";

/** Creates the root user, the configured keys, and a first key if there would be none. */
export async function ensureKeys(
  { keys, settings }: Pick<Config, "keys" | "settings">,
  storage: Pick<Storage, "users" | "keys" | "teams">,
): Promise<string | undefined> {
  const root = await storage.users.ensureRoot();
  const { bootstrapKey } = settings;
  // If the file lists the same key with a name and limits, those apply.
  const isNamed = keys.some((key) => key.secret.open() === bootstrapKey?.open());
  const named: readonly KeyConfig[] = [
    ...(bootstrapKey === undefined || isNamed
      ? []
      : [{ name: BOOTSTRAP, secret: bootstrapKey, models: ["*"] }]),
    ...keys,
  ];
  for (const { secret, user, team, ...entry } of named) {
    const userId = user === undefined ? root.id : await ensureUser(user, storage);
    const owner = team === undefined ? {} : { teamId: await ensureTeam(team, storage) };
    await storage.keys.syncNamed({ userId, ...owner, ...entry, secret: secret.open() });
  }
  if (named.length > 0 || (await storage.keys.list(root.id)).length > 0) return undefined;

  const secret = createSecret();
  await storage.keys.create({ userId: root.id, name: "first", models: ["*"], secret });
  return secret;
}

/** Another gateway with the same file may create the user first. */
async function ensureUser(name: string, { users }: Pick<Storage, "users">): Promise<number> {
  const find = async () => (await users.findAll({ ids: [], names: [name] }))[0];
  const found = await find();
  if (found !== undefined) return found.id;
  try {
    return (await users.create({ name, role: "user" })).id;
  } catch (cause) {
    const made = await find();
    if (made === undefined) throw cause;
    return made.id;
  }
}

async function ensureTeam(name: string, { teams }: Pick<Storage, "teams">): Promise<number> {
  const found = await teams.findByName(name);
  if (found !== undefined) return found.id;
  try {
    return (await teams.create({ name }, "configuration")).id;
  } catch (cause) {
    const made = await teams.findByName(name);
    if (made === undefined) throw cause;
    return made.id;
  }
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

import { expect, test } from "bun:test";
import type { User } from "#core/user.ts";
import type { Storage } from "#storage/open.ts";
import { openAt, reasonOf, type Place } from "./contract-place.ts";

const PASSWORD = "a long enough password";

/** What both databases promise of service accounts. */
export function describeServiceAccounts(openPlace: () => Promise<Place>): void {
  test("a service account gets no session, no password and no identity", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, logins, identities } = storage;
    const { id } = await makeService(storage, "robot");

    expect(await reasonOf(users.change(id, { password: PASSWORD }))).toMatchObject({
      code: "invalid_request",
    });
    expect(await reasonOf(identities.link(id, "https://id.example", "s"))).toMatchObject({
      code: "invalid_request",
    });
    // Also if another version of the gateway wrote them.
    const { password } = await storage.db
      .selectFrom("users")
      .select("password")
      .where("id", "=", (await users.create({ name: "ann", role: "user", password: PASSWORD })).id)
      .executeTakeFirstOrThrow();
    await storage.db.updateTable("users").set({ password }).where("id", "=", id).execute();
    await storage.db
      .insertInto("identities")
      .values({ issuer: "https://id.example", subject: "s", user_id: id, created_at: 0 })
      .execute();

    expect(await logins.checkPassword("ann", PASSWORD)).toMatchObject({ name: "ann" });
    expect(await logins.checkPassword("robot", PASSWORD)).toBeUndefined();
    expect(await identities.find("https://id.example", "s")).toBeUndefined();
    expect(await logins.findBySession(await logins.startSession(id))).toBeUndefined();
    const { secret } = await storage.accessTokens.create({ userId: id, name: "t" }, 9);
    expect((await storage.accessTokens.find(secret))?.user).toMatchObject({ id, isService: true });
  });

  test("a team is deleted with its service accounts, but not with members", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, teams, keys } = storage;
    const service = await makeService(storage, "robot");
    const teamId = service.teamId ?? 0;
    const member = await users.create({ name: "ann", role: "user" });
    await users.change(member.id, { teamId });
    const { secret } = await keys.create({ userId: service.id, name: "k", models: ["*"] });
    expect(await keys.find(secret)).toMatchObject({ status: 1, teamId });

    expect(await reasonOf(teams.delete(teamId))).toMatchObject({ code: "invalid_request" });
    expect(await users.find(service.id)).toMatchObject({ teamId });
    expect(await keys.find(secret)).toMatchObject({ status: 1 });
    await users.change(member.id, { teamId: null });
    expect(await teams.delete(teamId)).toBe(true);

    expect(await users.find(service.id)).toBeUndefined();
    expect(await keys.find(secret)).toBeUndefined();
  });

  test("service accounts are listed by team, and created at once stay within the limit", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users } = storage;
    const one = await makeService(storage, "one");
    const serviceOf = { teamId: one.teamId ?? 0, most: 3 };

    const made = await Promise.allSettled(
      ["a", "b", "c", "d"].map((name) => users.create({ name, role: "user", serviceOf })),
    );

    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    const listed = await users.listServices(one.teamId, 0, 10);
    expect(listed).toHaveLength(3);
    expect(listed[0]).toEqual({ user: one, teamName: "team of one" });
    expect(await users.listServices(undefined, one.id, 10)).toEqual(listed.slice(1));
    expect(await users.listServices(99, 0, 10)).toEqual([]);
    const nowhere = { name: "x", role: "user", serviceOf: { teamId: 99, most: 3 } } as const;
    expect(await reasonOf(users.create(nowhere))).toMatchObject({ code: "invalid_request" });
  });
}

async function makeService({ users, teams }: Storage, name: string): Promise<User> {
  await users.ensureRoot();
  const { id: teamId } = await teams.create({ name: `team of ${name}` }, "");
  return await users.create({ name, role: "user", serviceOf: { teamId, most: 9 } });
}

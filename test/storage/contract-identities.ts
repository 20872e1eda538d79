import { expect, test } from "bun:test";
import { openAt, reasonOf, type Place } from "./contract-place.ts";

const [HERE, THERE] = ["https://id.example", "https://other.example"];

/** What both databases promise of who users are to identity providers. */
export function describeIdentities(openPlace: () => Promise<Place>): void {
  test("a user is made together with an identity, or neither is", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, identities } = storage;
    const identity = { issuer: HERE, subject: "ada-1" };

    const ada = await users.create({ name: "ada", role: "user", identity });
    const again = await reasonOf(users.create({ name: "another", role: "user", identity }));

    expect(again).toMatchObject({ code: "invalid_request" });
    expect(await identities.find(HERE, "ada-1")).toEqual(ada);
    expect(await users.list(0, 10)).toEqual([ada]);
    expect(await storage.db.selectFrom("accounts").selectAll().execute()).toHaveLength(1);
  });

  test("a subject belongs to one user, a user has one subject per issuer, and case matters", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, identities } = storage;
    await users.ensureRoot();
    const ada = await users.create({ name: "ada", email: "ada@example.com", role: "user" });
    const bob = await users.create({ name: "bob", role: "user" });

    expect(await identities.findByEmail(HERE, "ada@example.com")).toEqual({
      user: ada,
      isLinked: false,
    });
    await identities.link(ada.id, HERE, "one");
    await identities.link(ada.id, THERE, "one");
    await identities.link(bob.id, HERE, "One");
    const taken = [
      await reasonOf(identities.link(bob.id, THERE, "one")),
      await reasonOf(identities.link(bob.id, HERE, "two")),
    ];

    for (const reason of taken) expect(reason).toMatchObject({ code: "invalid_request" });
    expect(await identities.find(HERE, "one")).toEqual(ada);
    expect(await identities.find(HERE, "One")).toEqual(bob);
    expect(await identities.find(HERE, "two")).toBeUndefined();
    expect(await identities.findByEmail(HERE, "ada@example.com")).toMatchObject({ isLinked: true });
    expect(await identities.findByEmail(HERE, "nobody@example.com")).toBeUndefined();
    expect(await identities.unlink(ada.id, HERE)).toBe(true);
    expect(await identities.unlink(ada.id, HERE)).toBe(false);
    expect(await identities.find(HERE, "one")).toBeUndefined();
    expect(await identities.find(THERE, "one")).toEqual(ada);
    await users.delete(ada.id);
    expect(await identities.find(THERE, "one")).toBeUndefined();
    expect(await reasonOf(identities.link(bob.id, THERE, "one"))).toBeUndefined();
  });

  test("the last admin who can log in keeps the role, also if two lose it at once", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users } = storage;
    await users.ensureRoot();
    const identity = (subject: string) => ({ issuer: HERE, subject });
    const ada = await users.create({ name: "ada", role: "admin", identity: identity("ada") });
    const bob = await users.create({ name: "bob", role: "admin", identity: identity("bob") });
    // Root has no login, and this admin has none either.
    await users.create({ name: "idle", role: "admin" });

    const lowered = await Promise.all([
      users.lowerRole(ada.id, "user"),
      users.lowerRole(bob.id, "auditor"),
    ]);

    expect(lowered.filter((each) => each !== undefined)).toHaveLength(1);
    await users.change(1, { password: "a password of root's" });
    for (const { id } of [ada, bob]) {
      expect(await users.lowerRole(id, "user")).toMatchObject({ id, role: "user" });
    }
    expect(await users.lowerRole(999, "user")).toBeUndefined();
  });

  test("teams and groups are found by their names", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const team = await storage.teams.create({ name: "Büro" }, "");
    const group = await storage.groups.create({ name: "writers" });

    expect(await storage.teams.findByName("Büro")).toEqual(team);
    expect(await storage.groups.findByName("writers")).toEqual(group);
    expect(await storage.teams.findByName("writers")).toBeUndefined();
    expect(await storage.groups.findByName("Büro")).toBeUndefined();
  });
}

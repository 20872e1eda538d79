import { expect, test } from "bun:test";
import type { InvitationDraft } from "#core/invitation.ts";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import type { Storage } from "#storage/open.ts";
import { openAt, PEPPER, reasonOf, type Place } from "./contract-place.ts";
import { digestOf } from "#storage/secrets/secrets.ts";

const DAY_MS = 86_400_000;

/** What both databases promise of invitations. */
export function describeInvitations(openPlace: () => Promise<Place>): void {
  test("an invited user gets role, team, group and quota of the invitation", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { invitations, ledger } = storage;
    const team = await storage.teams.create({ name: "Büro" }, "");
    const group = await storage.groups.create({ name: "writers" });
    const { id, secret } = await invitations.create({
      ...draft(),
      role: "auditor",
      teamId: team.id,
      isTeamOwner: true,
      groupId: group.id,
      quota: nanoUsd(5e9),
      email: "ada@example.com",
      note: "for the trial",
    });

    expect(await invitations.findOpen(secret)).toMatchObject({
      id,
      inviter: "root",
      team: "Büro",
      group: "writers",
      email: "ada@example.com",
    });
    const ada = await invitations.accept(secret, {
      name: "ada",
      email: "ada@example.com",
      displayName: "Ada L.",
      password: "a long enough password",
    });

    expect(ada).toMatchObject({
      name: "ada",
      displayName: "Ada L.",
      role: "auditor",
      teamId: team.id,
      isTeamOwner: true,
      groupId: group.id,
    });
    expect(await storage.logins.checkPassword("ada", "a long enough password")).toEqual(ada);
    expect((await ledger.findAccount(`user:${ada?.id ?? 0}`))?.granted).toBe(nanoUsd(5e9));
    expect(await invitations.uses(id)).toMatchObject([{ userId: ada?.id ?? 0, name: "ada" }]);
    expect(await invitations.find(id)).toMatchObject({ uses: 1 });
    expect(await invitations.findOpen(secret)).toBeUndefined();
  });

  test("the secret of an invitation is stored as a digest only", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);

    const { secret } = await storage.invitations.create(draft());
    const rows = await storage.db.selectFrom("invitations").selectAll().execute();

    expect(rows.map(({ digest }) => digest)).toEqual([digestOf(secret, PEPPER)]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test("of simultaneous uses only as many succeed as the invitation allows", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    // On PostgreSQL a second gateway of the same database.
    const hasSecond = place.address.databaseUrl !== undefined;
    await using second = hasSecond ? await openAt(place.address) : undefined;
    const { id, secret } = await storage.invitations.create({ ...draft(), maxUses: 3 });

    const accepted = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const { invitations } = index % 2 === 0 ? storage : (second ?? storage);
        return invitations.accept(secret, { name: `user-${index}` });
      }),
    );

    expect(accepted.filter((each) => each !== undefined)).toHaveLength(3);
    expect(await storage.users.list(1, 10)).toHaveLength(3);
    expect(await storage.invitations.find(id)).toMatchObject({ uses: 3 });
  });

  test("a name that is taken does not use up the invitation", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { id, secret } = await storage.invitations.create(draft());

    const refused = await reasonOf(storage.invitations.accept(secret, { name: "root" }));

    expect(refused).toMatchObject({ code: "invalid_request" });
    expect(await storage.invitations.find(id)).toMatchObject({ uses: 0 });
    expect(await storage.invitations.accept(secret, { name: "ada" })).toMatchObject({
      name: "ada",
    });
  });

  test("a revoked or expired invitation, and an invented one, cannot be accepted", async () => {
    await using place = await openPlace();
    const clock = settableClock();
    await using storage = await openWithRoot(place, clock);
    const { invitations } = storage;
    const revoked = await invitations.create(draft());
    const expired = await invitations.create(draft());

    expect(await invitations.revoke(revoked.id)).toBe(true);
    expect(await invitations.revoke(revoked.id)).toBe(false);
    clock.pass(DAY_MS);
    const secrets = [revoked.secret, expired.secret, `${expired.secret}x`, "slc-invite_", ""];

    for (const secret of secrets) {
      expect(await invitations.findOpen(secret)).toBeUndefined();
      expect(await invitations.accept(secret, { name: "ada" })).toBeUndefined();
    }
    expect(await storage.users.list(1, 10)).toEqual([]);
  });

  test("an invitation ends when its inviter loses the right to invite", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { invitations, users } = storage;
    const team = await storage.teams.create({ name: "team" }, "");
    const admin = await users.create({ name: "admin", role: "admin" });
    const owner = await users.create({
      name: "owner",
      role: "user",
      teamId: team.id,
      isTeamOwner: true,
    });
    const byAdmin = await invitations.create({ ...draft(admin.id), role: "auditor", maxUses: 9 });
    const byOwner = await invitations.create({ ...draft(owner.id), teamId: team.id, maxUses: 9 });
    const areOpen = async (): Promise<readonly boolean[]> => [
      (await invitations.findOpen(byAdmin.secret)) !== undefined,
      (await invitations.findOpen(byOwner.secret)) !== undefined,
    ];

    expect(await areOpen()).toEqual([true, true]);
    await users.change(admin.id, { role: "auditor" });
    await users.change(owner.id, { isTeamOwner: false });
    expect(await areOpen()).toEqual([false, false]);
    await users.change(admin.id, { role: "admin", isEnabled: false });
    await users.change(owner.id, { isTeamOwner: true });
    expect(await areOpen()).toEqual([false, true]);
    expect(await invitations.accept(byAdmin.secret, { name: "ada" })).toBeUndefined();
    await users.delete(owner.id);
    expect(await areOpen()).toEqual([false, false]);
    expect(await invitations.find(byAdmin.id)).toMatchObject({ uses: 0 });
  });

  test("invitations are listed by id, of all teams or of one", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const team = await storage.teams.create({ name: "team" }, "");
    const ids: number[] = [];
    for (const teamId of [undefined, team.id, undefined]) {
      const wanted = { ...draft(), ...(teamId === undefined ? {} : { teamId }) };
      ids.push((await storage.invitations.create(wanted)).id);
    }
    const list = async (query: object): Promise<readonly number[]> =>
      (await storage.invitations.list({ after: 0, limit: 10, ...query })).map(({ id }) => id);

    expect(await list({})).toEqual(ids);
    expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await list({ after: ids[1] })).toEqual(ids.slice(2));
    expect(await list({ teamId: team.id })).toEqual(ids.slice(1, 2));
  });

  test("ended invitations are deleted in batches, and their users stay", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { invitations } = storage;
    const now = Date.now();
    const short = { ...draft(), expiresAt: now + 1_000 };
    const used = await invitations.create(short);
    const other = await invitations.create(short);
    const revoked = await invitations.create(draft());
    const open = await invitations.create(draft());
    await invitations.accept(used.secret, { name: "ada" });
    await invitations.revoke(revoked.id);

    const counts = [
      await invitations.prune(now, 2),
      await invitations.prune(now + 60_000, 2),
      await invitations.prune(now + 60_000, 2),
      await invitations.prune(now + 60_000, 2),
    ];

    expect(counts).toEqual([0, 2, 1, 0]);
    expect(await invitations.find(other.id)).toBeUndefined();
    expect(await invitations.list({ after: 0, limit: 9 })).toMatchObject([{ id: open.id }]);
    expect(await storage.users.list(1, 9)).toMatchObject([{ name: "ada" }]);
  });

  test("an invitation to a deleted team or group is refused, and stays unused", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { invitations } = storage;
    const team = await storage.teams.create({ name: "team" }, "");
    const group = await storage.groups.create({ name: "group" });
    const made = [
      await invitations.create({ ...draft(), teamId: team.id }),
      await invitations.create({ ...draft(), groupId: group.id }),
    ];
    await storage.teams.delete(team.id);
    await storage.groups.delete(group.id);

    for (const { id, secret } of made) {
      const reason = await reasonOf(invitations.accept(secret, { name: "ada" }));
      expect(reason).toMatchObject({ code: "invalid_request" });
      expect(await invitations.find(id)).toMatchObject({ uses: 0 });
    }
  });
}

function draft(createdBy = 1): InvitationDraft {
  return {
    createdBy,
    role: "user",
    maxUses: 1,
    isTeamOwner: false,
    expiresAt: Date.now() + DAY_MS,
  };
}

async function openWithRoot(place: Place, clock?: Clock): Promise<Storage> {
  const storage = await openAt(place.address, clock === undefined ? {} : { clock });
  await storage.users.ensureRoot();
  return storage;
}

function settableClock(): Clock & { pass(ms: number): void } {
  let passedMs = 0;
  return {
    now: () => Date.now() + passedMs,
    monotonic: () => performance.now() + passedMs,
    pass: (ms) => void (passedMs += ms),
  };
}

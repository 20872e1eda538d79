import { expect, test } from "bun:test";
import { MAIL_LINK_MS } from "#core/mail-link.ts";
import type { Clock } from "#lib/clock.ts";
import { openAt, type Place } from "./contract-place.ts";

/** What both databases promise of links in mails. */
export function describeMailLinks(openPlace: () => Promise<Place>): void {
  test("a mailed link works once, also if it is opened several times at once", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mailLinks } = storage;
    const link = { email: "ada@example.com" };
    const secret = await mailLinks.issue("register", link);

    expect(await mailLinks.find("register", secret)).toEqual(link);
    const spent = await Promise.all(
      Array.from({ length: 8 }, () => mailLinks.spend("register", secret)),
    );

    expect(spent.filter((each) => each !== undefined)).toEqual([link]);
    expect(await mailLinks.find("register", secret)).toBeUndefined();
  });

  test("a mailed link is valid for its purpose only, and only until a newer one", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mailLinks } = storage;
    const { id: userId } = await storage.users.ensureRoot();
    const link = { userId, email: "root@example.com" };

    const former = await mailLinks.issue("password", link);
    const secret = await mailLinks.issue("password", { ...link, email: "new@example.com" });
    const other = await mailLinks.issue("email", link);

    expect(await mailLinks.find("password", former)).toBeUndefined();
    expect(await mailLinks.find("email", secret)).toBeUndefined();
    expect(await mailLinks.spend("email", secret)).toBeUndefined();
    expect(await mailLinks.find("password", secret)).toEqual({ ...link, email: "new@example.com" });
    expect(await mailLinks.find("email", other)).toEqual(link);
    expect(await storage.db.selectFrom("mail_links").selectAll().execute()).toHaveLength(2);
  });

  test("an expired link is refused, and deleted by the next one", async () => {
    await using place = await openPlace();
    let passedMs = 0;
    const clock: Clock = { now: () => Date.now() + passedMs, monotonic: () => performance.now() };
    await using storage = await openAt(place.address, { clock });
    const { mailLinks } = storage;
    const secret = await mailLinks.issue("register", { email: "ada@example.com" });

    passedMs = MAIL_LINK_MS.register;
    expect(await mailLinks.find("register", secret)).toBeUndefined();
    expect(await mailLinks.spend("register", secret)).toBeUndefined();
    await mailLinks.issue("register", { email: "bob@example.com" });

    expect(await storage.db.selectFrom("mail_links").select("email").execute()).toEqual([
      { email: "bob@example.com" },
    ]);
  });
}

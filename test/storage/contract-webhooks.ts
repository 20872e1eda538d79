import { expect, test } from "bun:test";
import type { WebhookDelivery } from "#core/webhook-delivery.ts";
import { newId, openAt, type Place } from "./contract-place.ts";

/** What both databases promise of notices. */
export function describeNotices(openPlace: () => Promise<Place>): void {
  test("a webhook event is stored once, even if two gateways store it", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const notice = aNotice();

    await storage.notices.add(notice);
    await storage.notices.add({ ...notice, body: "{}" });

    expect(await storage.notices.list({ userId: 1, limit: 10 })).toEqual([notice]);
    expect(await storage.notices.list({ userId: 2, limit: 10 })).toEqual([]);
  });

  test("a due webhook is leased to one gateway at a time", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const due = Array.from({ length: 10 }, () => aNotice());
    for (const each of due) await storage.notices.add(each);
    await storage.notices.add(aNotice({ dueAt: Date.now() + 3_600_000 }));

    const [one, two] = await Promise.all([
      storage.notices.lease(60_000, 6),
      storage.notices.lease(60_000, 6),
    ]);
    const rest = await storage.notices.lease(60_000, 100);

    const ids = [...one, ...two, ...rest].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(due.map(({ id }) => id).toSorted());
  });

  test("a delivered or dead webhook stays so until its user requests another delivery", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { notices } = storage;
    const notice = aNotice();
    await notices.add(notice);
    const dead = { state: "dead", attempts: 9, dueAt: 5, lastError: "status 500" } as const;

    await notices.tried(notice.id, dead);
    await notices.tried(notice.id, { ...dead, state: "delivered" });

    expect(await notices.list({ userId: 1, limit: 1, state: "dead" })).toEqual([
      { ...notice, ...dead },
    ]);
    expect(await notices.lease(60_000, 10)).toEqual([]);
    expect(await notices.redeliver(2, notice.id, 7)).toBe(false);
    expect(await notices.redeliver(1, notice.id, 7)).toBe(true);
    expect(await notices.lease(60_000, 10)).toEqual([{ ...notice, dueAt: 7 }]);
  });

  test("webhook events are listed page by page, and old ones are pruned", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { notices } = storage;
    const all = [1, 2, 2, 3].map((createdAt) => aNotice({ createdAt }));
    for (const each of all) await notices.add(each);

    const first = await notices.list({ userId: 1, limit: 2 });
    const before = first.at(-1)?.id ?? "";
    const second = await notices.list({ userId: 1, limit: 2, before });
    const newest = all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    expect([...first, ...second]).toEqual(newest);

    for (const { id } of all.slice(0, 2)) {
      await notices.tried(id, { state: "delivered", attempts: 1, dueAt: 1 });
    }
    expect(await notices.prune(2, 10)).toBe(1);
    expect(await notices.prune(100, 10)).toBe(1);
  });
}

function aNotice(more: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return {
    id: `note_${newId()}`,
    userId: 1,
    taskId: "task_1",
    url: "https://example.com/hook",
    body: '{"id":"task_1"}',
    state: "pending",
    attempts: 0,
    createdAt: 1,
    dueAt: 2,
    ...more,
  };
}

import { expect, test } from "bun:test";
import type { StoredContent } from "#core/content-log.ts";
import { newId, openAt, type Place } from "./contract-place.ts";

/** What both databases promise of the index of the content log. */
export function describeContents(openPlace: () => Promise<Place>): void {
  test("the index finds contents by call, by age, and their total size", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { contents } = storage;
    const [first, second, third] = [5, 6, 7].map((at) => contentAt(at));
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    const before = await contents.totalBytes();

    await contents.add([]);
    await contents.add([third, first, second]);
    await contents.add([{ ...first, sizeBytes: 1 }]);

    expect(before).toBe(0);
    expect(await contents.find(first.callId)).toEqual(first);
    expect(await contents.find("other")).toBeUndefined();
    expect(await contents.listBefore(7, 9)).toEqual([first, second]);
    expect(await contents.listBefore(99, 1)).toEqual([first]);
    expect(await contents.totalBytes()).toBe(9_000_000_000);
  });

  test("contents are forgotten once, any number at a time", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { contents } = storage;
    const many = Array.from({ length: 450 }, (_, at) => contentAt(at));
    await contents.add(many);

    await contents.forget([]);
    await contents.forget(many.slice(1).map(({ callId }) => callId));
    await contents.forget(many.slice(1, 2).map(({ callId }) => callId));

    expect(await contents.listBefore(1_000, 9)).toEqual(many.slice(0, 1));
  });

  test("a key and a group have a level of their own, and lose it again", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.users.ensureRoot();
    const { keys, groups } = storage;
    const { key, secret } = await keys.create({ userId: 1, name: "logged", models: ["*"] });
    const group = await groups.create({ name: "logged", contentLog: "errors" });

    expect(await keys.setContentLog(key.id, "all")).toBe(true);
    expect((await keys.find(secret))?.contentLog).toBe("all");
    expect(await keys.setContentLog(key.id, null)).toBe(true);
    expect((await keys.find(secret))?.contentLog).toBeUndefined();
    expect(await keys.setContentLog(999, "all")).toBe(false);
    expect(group.contentLog).toBe("errors");
    const changed = await groups.change(group.id, { contentLog: null });
    expect(changed?.contentLog).toBeUndefined();
  });
}

function contentAt(at: number): StoredContent {
  return { callId: newId(), place: at % 2 === 0 ? "s3" : "folder", sizeBytes: 3_000_000_000, at };
}

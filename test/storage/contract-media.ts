import { expect, test } from "bun:test";
import type { TaskFile } from "#core/kept-media.ts";
import { newId, openAt, type Place } from "./contract-place.ts";

const KEPT = { sizeBytes: 3_000_000_000, mediaType: "video/mp4", digest: "ab12", at: 9 };

/** What both databases promise of copies of media. */
export function describeMedia(openPlace: () => Promise<Place>): void {
  test("a copy is requested once, and found once it is stored", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mediaCopies: copies } = storage;
    const file = aFile();

    await copies.want([file, { ...file, index: 1 }], "folder", 5);
    await copies.want([file], "s3", 6);
    expect(await copies.find(file)).toBeUndefined();
    expect(await copies.keep(file, KEPT)).toBe(true);

    expect(await copies.find(file)).toEqual({
      ...file,
      state: "kept",
      place: "folder",
      kept: KEPT,
      attempts: 0,
      createdAt: 5,
      dueAt: 5,
    });
    expect(await copies.find({ ...file, variant: "thumbnail" })).toBeUndefined();
    expect(await copies.find({ ...file, index: 1 })).toBeUndefined();
  });

  test("a copy job is leased to one gateway at a time, for the time of the lease", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mediaCopies: copies } = storage;
    const files = Array.from({ length: 10 }, aFile);
    await copies.want(files, "folder", 1);
    await copies.want([aFile()], "folder", Date.now() + 3_600_000);

    const [one, two] = await Promise.all([copies.lease(60_000, 6), copies.lease(60_000, 6)]);
    const rest = await copies.lease(60_000, 100);

    const ids = [...one, ...two, ...rest].map(({ taskId }) => taskId);
    expect(ids.toSorted()).toEqual(files.map(({ taskId }) => taskId).toSorted());
  });

  test("a failed copy job is due again at the given time, or never", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mediaCopies: copies } = storage;
    const [later, never] = [aFile(), aFile()];
    await copies.want([later, never], "folder", 1);
    await copies.lease(60_000, 10);

    await copies.missed(later, 1, 7);
    await copies.missed(never, 1, undefined);

    expect(await copies.lease(60_000, 10)).toMatchObject([{ ...later, attempts: 1, dueAt: 7 }]);
    await copies.prolong(later, -1);
    expect(await copies.lease(60_000, 10)).toHaveLength(1);
  });

  test("copies expire, and a removed copy cannot be stored", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { mediaCopies: copies } = storage;
    const [old, young] = [aFile(), aFile()];
    await copies.want([old], "folder", 10);
    await copies.want([young], "s3", 20);

    expect(await copies.listUnwanted(20, 10)).toMatchObject([old]);
    await copies.forget(old);

    expect(await copies.listUnwanted(20, 10)).toEqual([]);
    expect(await copies.keep(old, KEPT)).toBe(false);
  });
}

function aFile(): TaskFile {
  return { taskId: `task_${newId()}`, index: 0, variant: "video" };
}

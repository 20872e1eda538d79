import { expect, test } from "bun:test";
import { textOf } from "#lib/values.ts";
import { asUser, textIn } from "#test/accounts.ts";
import { openVideoPlace, SORA } from "#test/video-place.ts";

test("[decision 28] another user's video is not found, at every endpoint", async () => {
  await using place = await openVideoPlace();
  place.taken = { body: { id: "video_upstream", status: "queued" } };
  place.task = { body: { id: "video_upstream", status: "completed" } };
  const ada = await asUser(place.gateway.url, "ada");
  const { data } = await ada("POST", "/api/token", { name: "hers" });
  const key = textIn(data, "key");
  const { body } = await place.send("POST", "/v1/videos", { model: SORA, prompt: "a fox" });
  const id = textOf(body["id"]) ?? "";
  await place.until(`/v1/videos/${id}`, ({ status }) => status === "completed");

  const calls = [
    ["GET", `/v1/videos/${id}`],
    ["DELETE", `/v1/videos/${id}`],
    ["POST", `/v1/videos/${id}/remix`, { prompt: "blue" }],
    ["GET", `/v1/video/generations/${id}`],
    ["GET", `/videoa/api/v3/contents/generations/tasks/${id}`],
    ["DELETE", `/videoa/api/v3/contents/generations/tasks/${id}`],
    ["GET", `/v1beta/models/${SORA}/operations/${id}`],
  ] as const;
  for (const [method, path, asked] of calls) {
    const hers = await place.send(method, path, asked, key);
    const nobodys = await place.send(method, path.replace(id, "task_none"), asked, key);
    expect([path, hers.status]).toEqual([path, 404]);
    expect(hers.body).toEqual(nobodys.body);
  }
  const listed = await place.send("GET", "/v1/videos", undefined, key);
  const tasks = await place.send(
    "GET",
    `/videoa/api/v3/contents/generations/tasks?filter.task_ids=${id}`,
    undefined,
    key,
  );

  expect(listed.body["data"]).toEqual([]);
  expect(tasks.body).toEqual({ items: [], total: 0 });
  expect((await place.send("GET", `/v1/videos/${id}`)).status).toBe(200);
});

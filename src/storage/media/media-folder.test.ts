import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMediaFolder } from "./media-folder.ts";

test("a folder that was unwritable at first is used once it is writable", async () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-media-"));
  const folder = join(root, "mounted-later");
  writeFileSync(folder, "");
  const store = openMediaFolder(folder);
  const put = (): Promise<unknown> => store.put("a/b", piecesOf("film"), "video/mp4");

  const failure = await put().catch((cause: unknown) => cause);
  rmSync(folder);

  expect(failure).toBeInstanceOf(Error);
  expect(await put()).toMatchObject({ sizeBytes: 4 });
  rmSync(root, { recursive: true });
});

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

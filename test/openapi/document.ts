import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOpenApi } from "#http/openapi.ts";
import { ROUTES } from "#http/registry.ts";

interface WrittenDocument extends Disposable {
  readonly folder: string;
  readonly path: string;
}

/** The API document in a file of a folder of its own. */
export function writeDocument(): WrittenDocument {
  const folder = mkdtempSync(join(tmpdir(), "sluice-openapi-"));
  const path = join(folder, "openapi.json");
  writeFileSync(path, JSON.stringify(buildOpenApi(ROUTES, "0.1.0")));
  return {
    folder,
    path,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

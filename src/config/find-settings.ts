import { z } from "zod";
import { fields } from "./documents/fields.ts";
import type { Report } from "./mistakes.ts";
import { findNode, readDocument } from "./read-document.ts";
import type { FileNode, MapNode } from "./tree.ts";

/**
 * The file's settings by full path, such as `port` and `limits.attempts`.
 * Unknown names are reported. An empty group is ignored, because all of its
 * lines may be commented out.
 */
export function findSettings(
  root: MapNode,
  paths: readonly string[],
  sections: readonly string[],
  report: Report,
): ReadonlyMap<string, FileNode> {
  readDocument(namesSchema(paths, sections), root, report);
  return new Map(
    paths.flatMap((path) => {
      const node = findNode(root, path.split("."));
      return node === undefined ? [] : [[path, node] as const];
    }),
  );
}

/** Checks names only, because each setting's parser reads its value. Each list of names has one. */
function namesSchema(paths: readonly string[], sections: readonly string[]) {
  const key = [...paths, ...sections].join();
  const known = SCHEMAS.get(key) ?? makeSchema(paths, sections);
  SCHEMAS.set(key, known);
  return known;
}

/** The file and documents have one list of names each. */
const SCHEMAS = new Map<string, ReturnType<typeof makeSchema>>();

function makeSchema(paths: readonly string[], sections: readonly string[]) {
  const heads = [...new Set(paths.map((path) => path.split(".", 1)[0] ?? path))];
  const shape = heads.map((head) => {
    const names = paths.flatMap((path) =>
      path.startsWith(`${head}.`) ? path.slice(head.length + 1) : [],
    );
    return [
      head,
      names.length === 0 ? UNREAD : fields(shapeOf(names)).nullable().optional(),
    ] as const;
  });
  return fields({ ...Object.fromEntries(shape), ...shapeOf(sections) });
}

const UNREAD = z.unknown().optional();

function shapeOf(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, UNREAD]));
}

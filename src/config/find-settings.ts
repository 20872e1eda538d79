import { openForm } from "./form.ts";
import type { Report } from "./mistakes.ts";
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
  const heads = [...new Set(paths.map((path) => path.split(".", 1)[0] ?? path))];
  const form = openForm(root, [...heads, ...sections], report);
  const found = new Map<string, FileNode>();
  for (const head of heads) {
    const node = form?.find(head);
    if (node === undefined) continue;
    if (paths.includes(head)) found.set(head, node);
    else if (node.kind !== "empty") findGroup(node, `${head}.`, paths, found, report);
  }
  return found;
}

function findGroup(
  node: FileNode,
  prefix: string,
  paths: readonly string[],
  found: Map<string, FileNode>,
  report: Report,
): void {
  const names = paths.flatMap((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : []));
  const form = openForm(node, names, report);
  for (const name of names) {
    const member = form?.find(name);
    if (member !== undefined) found.set(prefix + name, member);
  }
}

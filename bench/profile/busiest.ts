/** What the inspector's profiler returns, as far as it is read here. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of the nodes that ran, one for each sample. */
  readonly samples?: readonly number[] | undefined;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[] | undefined;
}

/** A function's share of the samples of its thread. */
export interface Share {
  readonly name: string;
  /** Samples in which the function itself ran. */
  readonly self: number;
  /** Samples in which it, or a function that it called, ran. */
  readonly inclusive: number;
}

export interface Shares {
  readonly samples: number;
  readonly functions: readonly Share[];
}

/**
 * Counts the samples of each function; one that calls itself counts once. An async function has a
 * node for each place where it goes on, so functions of one name in one file count together.
 */
export function sharesOf({ nodes, samples = [] }: CpuProfile, root: string): Shares {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node, root)]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const self = new Map<string, number>();
  const inclusive = new Map<string, number>();
  for (const sample of samples) {
    add(self, names.get(sample));
    const running = new Set<string | undefined>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      running.add(names.get(id));
    }
    for (const name of running) add(inclusive, name);
  }
  const functions = [...inclusive].map(([name, count]) => ({
    name,
    self: self.get(name) ?? 0,
    inclusive: count,
  }));
  return { samples: samples.length, functions };
}

function nameOf(
  { callFrame: { functionName, url, lineNumber } }: ProfileNode,
  root: string,
): string {
  const file = url.replace("file://", "").replace(`${root}/`, "");
  if (functionName === "") return `(anonymous) ${file}:${lineNumber + 1}`;
  return file === "" ? functionName : `${functionName} ${file}`;
}

function add(counts: Map<string, number>, name: string | undefined): void {
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
}

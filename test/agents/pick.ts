import type { Agent } from "./agent.ts";

interface Picked {
  readonly agents: readonly Agent[];
  /** Ids of upstreams. */
  readonly upstreams: readonly string[];
}

/** By the words of a command line; all where none is said. Throws where a word picks nothing. */
export function pickAgents(
  words: readonly string[],
  agents: readonly Agent[],
  upstreams: readonly { readonly id: string }[],
): Picked {
  const wanted = words.filter((word) => !word.startsWith(ON));
  const wantedUpstreams = words
    .filter((word) => word.startsWith(ON))
    .map((word) => word.slice(ON.length));
  const ids = upstreams.map(({ id }) => id);
  const unknown =
    wanted.find((word) => !agents.some(({ id }) => id.includes(word))) ??
    wantedUpstreams.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new Error(`No agent and no upstream is named '${unknown}'.`);

  return {
    agents: agents.filter(
      ({ id }) => wanted.length === 0 || wanted.some((word) => id.includes(word)),
    ),
    upstreams: wantedUpstreams.length === 0 ? ids : wantedUpstreams,
  };
}

const ON = "on:";

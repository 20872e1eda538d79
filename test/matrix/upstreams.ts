/** A wire format that upstreams speak, as the simulator plays it. */
export interface Upstream {
  readonly id: string;
  readonly provider: string;
  /** Below the simulator's address. */
  readonly path: string;
  /** Where the vendor has several formats. */
  readonly style?: string;
  readonly model: string;
  readonly thinker: string;
  /** Shows what the thinker thinks to whoever has it think, asked to or not. */
  readonly showsUnasked: boolean;
}

export const UPSTREAMS: readonly Upstream[] = [
  {
    id: "chat",
    provider: "openai",
    path: "/openai/v1",
    style: "chat",
    model: "gpt-4o-mini",
    thinker: "sim-reasoner",
    showsUnasked: true,
  },
  {
    id: "responses",
    provider: "openai",
    path: "/openai/v1",
    style: "responses",
    model: "gpt-4o-mini",
    thinker: "gpt-5",
    showsUnasked: false,
  },
  {
    id: "messages",
    provider: "anthropic",
    path: "/anthropic/v1",
    model: "claude-sonnet-4-5-20250929",
    thinker: "claude-sonnet-4-5-20250929",
    showsUnasked: true,
  },
  {
    id: "gemini",
    provider: "gemini",
    path: "/gemini/v1beta",
    model: "gemini-2.5-flash",
    thinker: "gemini-3-pro-preview",
    showsUnasked: false,
  },
];

/** A channel to it, as the only one of a sluice.yaml. */
export function channelOf(upstream: Upstream, sandboxUrl: string): string {
  return `channels:\n${itemOf(upstream, "sim", sandboxUrl)}`;
}

/** A channel to each of these, which are named by their ids, as all of a sluice.yaml. */
export function channelsOf(ids: readonly string[], sandboxUrl: string): string {
  const items = UPSTREAMS.filter(({ id }) => ids.includes(id)).map((upstream) =>
    itemOf(upstream, upstream.id, sandboxUrl),
  );
  return ["channels:", ...items].join("\n");
}

function itemOf(upstream: Upstream, name: string, sandboxUrl: string): string {
  const models = [...new Set([upstream.model, upstream.thinker])].join(", ");
  return [
    `  - name: ${name}`,
    `    provider: ${upstream.provider}`,
    `    base_url: ${sandboxUrl}${upstream.path}`,
    "    api_key: upstream-secret-of-the-operator",
    `    models: [${models}]`,
    ...(upstream.style === undefined ? [] : [`    style: ${upstream.style}`]),
  ].join("\n");
}

const CLAUDE = /^claude-[a-z0-9-]+$/;

/** Bedrock's ids of Claude models with an unusual form, from the programs' tables. */
const ODD_IDS: Readonly<Record<string, string>> = {
  "claude-instant-1.2": "anthropic.claude-instant-v1",
  "claude-2.0": "anthropic.claude-v2",
  "claude-2.1": "anthropic.claude-v2:1",
  "claude-3-5-sonnet-20241022": "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "claude-3-5-sonnet-latest": "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "claude-opus-4-6": "anthropic.claude-opus-4-6-v1",
};

/** Models that new-api asks for across regions, by the start of the region's name. */
const ACROSS: Readonly<Record<string, { readonly prefix: string; readonly models: RegExp }>> = {
  us: { prefix: "us.", models: /claude-(?:3-|(?:sonnet|opus|haiku)-)|nova-/ },
  eu: {
    prefix: "eu.",
    models:
      /claude-3-(?:sonnet|haiku)|claude-3-5-sonnet-20240620|claude-3-7|claude-sonnet-|claude-haiku-4-5|claude-opus-4-[567]|nova-(?:micro|lite|pro|canvas|reel-v1:0|sonic)/,
  },
  ap: {
    prefix: "apac.",
    models:
      /claude-3-(?:sonnet|haiku)|claude-3-5-sonnet|claude-3-7|claude-sonnet-|claude-haiku-4-5|claude-opus-4-[567]/,
  },
};

/** The name under which Bedrock has a model that the programs call by its maker's name. */
export function bedrockName(model: string, region: string, isAcrossRegions: boolean): string {
  const id = idOf(model);
  const across = ACROSS[region.slice(0, 2)];
  if (!isAcrossRegions || id === model || across?.models.test(id) !== true) return id;
  return across.prefix + id;
}

function idOf(model: string): string {
  const odd = ODD_IDS[model];
  if (odd !== undefined) return odd;
  if (model.startsWith("nova-")) return `amazon.${model}`;
  if (!CLAUDE.test(model)) return model;
  return /-\d{8}$/.test(model) ? `anthropic.${model}-v1:0` : `anthropic.${model}`;
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDERS } from "#providers/index.ts";
import type { Provider, TextEndpoint } from "#providers/provider.ts";
import { code, table } from "./table.ts";
import { describeQuirks } from "./quirks.ts";

const FOLDER = join(import.meta.dir, "..", "..", "src", "providers");

/** All vendors, by name. */
export function renderProviders(): string {
  const rows = PROVIDERS.toSorted((one, other) => one.name.localeCompare(other.name)).map(
    (provider) => [
      `[${provider.name}](providers/${provider.id}.md)`,
      code(provider.id),
      provider.keyVariable === undefined ? "" : code(provider.keyVariable),
      stylesOf(provider),
      servicesOf(provider).join(", "),
    ],
  );
  return table(["Vendor", "`provider`", "Variable", "Text", "Beyond text"], rows);
}

/** A page for each vendor. */
export function providerPages(): readonly { readonly name: string; readonly markdown: string }[] {
  return PROVIDERS.map((provider) => ({
    name: `providers/${provider.id}`,
    markdown: pageOf(provider),
  }));
}

/** A channel of this vendor in `sluice.yaml`, as short as it can be. */
export function exampleOf(provider: Provider): string {
  const { id, keyVariable, needsKey, options, needsModels, adapter } = provider;
  const variable = keyVariable ?? `${id.toUpperCase().replaceAll("-", "_")}_KEY`;
  const needsAddress = provider.baseUrl === undefined && provider.baseUrlOf === undefined;
  const required = Object.keys(options?.required ?? {});
  return [
    "channels:",
    `  - name: ${id}`,
    `    provider: ${id}`,
    ...(needsKey ? [`    api_key: \${${variable}}`] : []),
    ...(needsAddress && adapter === undefined
      ? ["    base_url: https://models.example.com/v1"]
      : []),
    ...(required.length === 0 ? [] : ["    options:"]),
    ...required.map((name) => `      ${name}: ${EXAMPLES[name] ?? "VALUE"}`),
    ...(needsModels === true || adapter !== undefined ? ["    models: [MODEL]"] : []),
  ].join("\n");
}

const EXAMPLES: Readonly<Record<string, string>> = {
  region: "eu-central-1",
  package: '"@ai-sdk/cohere"',
};

function pageOf(provider: Provider): string {
  const { name, id } = provider;
  const comment = commentOf(id);
  return [
    `# ${name}`,
    `This page is for admins who connect ${name}. It is made of the gateway's code.`,
    comment,
    `\`\`\`yaml\n${exampleOf(provider)}\n\`\`\``,
    setUpOf(provider),
    "## Facts",
    table(["Subject", "Value"], factsOf(provider)),
    ...optionsOf(provider),
    ...provider.text.flatMap((endpoint) => textOf(endpoint)),
    ...differencesOf(provider),
    `[Channels](../channels.md) describes all fields, and [models and prices](../models-and-prices.md) the prices.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function setUpOf({ keyVariable, needsKey, isLocal }: Provider): string {
  if (keyVariable !== undefined) {
    return `Without a file, the variable \`${keyVariable}\` alone creates a channel with all models of the vendor.`;
  }
  if (isLocal === true) return "It runs on your own machines; its models count as free.";
  return needsKey ? "It needs a channel in the file or the database." : "";
}

function factsOf(provider: Provider): readonly (readonly string[])[] {
  const { id, prefixes = [], docs, baseUrl, baseUrlOf, modelsPath, balance, regionOf } = provider;
  const isOwn = baseUrlOf !== undefined || provider.adapter !== undefined;
  const address = baseUrl ?? (isOwn ? "made of the options" : "`base_url` of the channel");
  const names = [id, ...prefixes].map((each) => code(`${each}/`)).join(", ");
  return [
    ["Address", baseUrl === undefined ? address : code(baseUrl)],
    ["Documents of the vendor", `[${docs.replace(/^https:\/\//, "")}](${docs})`],
    ["Text styles", stylesOf(provider) || "none"],
    ["Beyond text", servicesOf(provider).join(", ") || "nothing"],
    ["Model list", modelListOf(provider, modelsPath)],
    ["Prefixes of model names", names],
    ["Balance", balance === undefined ? "not shown to API keys" : "`sluice channels balance`"],
    ...(regionOf === undefined ? [] : [["Prices by region", "yes, by the address"]]),
  ];
}

function modelListOf({ needsModels, models }: Provider, path: string | undefined): string {
  if (path !== undefined) return `read from ${code(path)}`;
  if (models !== undefined) return "known to the gateway";
  return needsModels === true ? "none: name the models in the channel" : "from the catalogue";
}

function stylesOf({ text, adapter }: Provider): string {
  if (adapter !== undefined) return "its own, by an adapter";
  return [...new Set(text.map(({ style }) => style.id))].join(", ");
}

function servicesOf(provider: Provider): readonly string[] {
  const { images, videos, embeddings, rerank, shared = [], assets } = provider;
  const all = [
    images === undefined ? [] : ["pictures"],
    videos === undefined ? [] : ["videos"],
    embeddings === undefined ? [] : ["embeddings"],
    rerank === undefined ? [] : ["rerank"],
    shared.map(({ style }) => style.id),
    assets === undefined ? [] : ["assets"],
  ];
  return [...new Set(all.flat())];
}

function optionsOf({ options }: Provider): readonly string[] {
  if (options === undefined) return [];
  const row =
    (need: string) =>
    ([name, meaning]: readonly [string, string]) => [code(name), need, meaning];
  const rows = [
    ...Object.entries(options.required ?? {}).map(row("yes")),
    ...Object.entries(options.optional ?? {}).map(row("no")),
  ];
  return ["## Options", table(["`options`", "Required", "Meaning"], rows)];
}

function textOf(endpoint: TextEndpoint): readonly string[] {
  const { style, path, isFaithful, inlines = [] } = endpoint;
  const way = isFaithful
    ? `Calls of clients of the same style pass through, and others are translated.`
    : `Its answers differ from the style, so all of them are decoded and written again.`;
  const linked =
    inlines.length === 0
      ? ""
      : ` The gateway fetches links to these kinds of media, because the vendor does not: ${inlines.join(", ")}.`;
  const where = typeof path === "string" ? ` at \`${path}\`` : "";
  return [`## Style ${style.id}${where}`, `${way}${linked}`, ...describeQuirks(endpoint)];
}

/** Services whose endpoints differ by model have one line each. */
function differencesOf({ embeddings, rerank }: Provider): readonly string[] {
  const rows = [
    ...(embeddings ?? []).map(({ style, maxInputs }) => ["embeddings", style.id, maxInputs]),
    ...(rerank ?? []).map(({ style, maxInputs }) => ["rerank", style.id, maxInputs]),
  ].map((cells) => cells.map(String));
  if (rows.length === 0) return [];
  const head = ["Service", "Format", "Inputs of one request; larger ones are split"];
  return ["## Vectors and rankings", table(head, rows)];
}

/** The comment above the vendor in its file, which describes its quirks. */
function commentOf(id: string): string {
  for (const file of readdirSync(FOLDER)) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const text = readFileSync(join(FOLDER, file), "utf8");
    const at = text.indexOf(`Provider = {\n  id: "${id}"`);
    if (at < 0) continue;
    const [, comment = ""] =
      /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const \w+: $/.exec(text.slice(0, at)) ?? [];
    return comment.replaceAll(/\n\s*\* ?/g, " ").trim();
  }
  return "";
}

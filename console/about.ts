import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/**
 * Writes generated/about.json for the page About: the libraries that the gateway and its console
 * consist of, with their licences, and the newest section of the changelog. Licences demand that
 * their texts come with each copy, and the page is part of each.
 */
interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Its index among the texts; null if the library has none. */
  readonly text: number | null;
}

const folder = import.meta.dir;
const root = join(folder, "..");
/** They help to build the console and are no part of it. */
const BUILD_TOOLS = /^(@types\/|typescript$|openapi-typescript$|bun-plugin-tailwind$)/;
/** The search of the documentation. */
const IN_PAGES = ["minisearch"];
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

export function writeAbout(): string {
  const about = JSON.stringify({ ...librariesOf(), changes: changesOf() });
  const path = join(folder, "generated", "about.json");
  if (existsSync(path) && readFileSync(path, "utf8") === about) return about;
  mkdirSync(join(folder, "generated"), { recursive: true });
  // Other processes may read the file meanwhile.
  const written = `${path}.${process.pid}`;
  writeFileSync(written, about);
  renameSync(written, path);
  return about;
}

function librariesOf(): { readonly libraries: readonly Library[]; readonly texts: string[] } {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const texts: string[] = [];
  const libraries = [...dependenciesIn(lock.packages)]
    .map(([place, { version = "", license = "" }]) => ({
      name: place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length),
      version,
      license,
      text: indexOf(licenceIn(join(root, place)), texts),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const once = new Map(libraries.map((each) => [`${each.name} ${each.version}`, each]));
  return { libraries: [...once.values()], texts };
}

/** Everything that the gateway and its pages depend on, by its place in the lock file. */
function dependenciesIn(packages: Readonly<Record<string, Locked>>): ReadonlyMap<string, Locked> {
  const found = new Map<string, Locked>();
  const consoles = Object.keys(packages["console"]?.devDependencies ?? {});
  const waiting = [
    ...[...Object.keys(packages[""]?.dependencies ?? {}), ...IN_PAGES].map((name) => ({
      from: "",
      name,
    })),
    ...consoles
      .filter((name) => !BUILD_TOOLS.test(name))
      .map((name) => ({ from: "console", name })),
  ];
  for (const { from, name } of waiting) {
    const place = locate(name, from, packages);
    const locked = place === undefined ? undefined : packages[place];
    if (place === undefined || locked === undefined || found.has(place)) continue;
    if (!name.startsWith("@sluice/")) found.set(place, locked);
    const own = Object.keys(locked.dependencies ?? {});
    waiting.push(...own.map((each) => ({ from: place, name: each })));
  }
  return found;
}

/** As Node looks for a package: in the nearest node_modules, then above. */
function locate(
  name: string,
  from: string,
  packages: Readonly<Record<string, Locked>>,
): string | undefined {
  const steps = from === "" ? [] : from.split("/");
  for (let length = steps.length; length >= 0; length--) {
    const place = [...steps.slice(0, length), "node_modules", name].join("/");
    if (packages[place] !== undefined) return place;
  }
  return undefined;
}

function licenceIn(place: string): string | undefined {
  if (!existsSync(place)) return undefined;
  const files = readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
  if (files.length === 0) return undefined;
  return files.map((name) => readFileSync(join(place, name), "utf8").trim()).join("\n\n");
}

/** Many libraries have the same text, which is stored once. */
function indexOf(text: string | undefined, texts: string[]): number | null {
  if (text === undefined) return null;
  const at = texts.indexOf(text);
  return at === -1 ? texts.push(text) - 1 : at;
}

/** The first section of the changelog: that of the next version, or of this one. */
function changesOf() {
  const path = join(root, "CHANGELOG.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const [, heading = "", body = ""] = /^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text) ?? [];
  const parts = body.split(/^### /m).slice(1);
  return {
    version: heading.replaceAll(/[[\]]/g, ""),
    parts: parts.map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const items = lines.filter((line) => line.startsWith("- "));
      return { title, items: items.map((line) => line.slice(2)) };
    }),
  };
}

const UNRELEASED = "## [Unreleased]";
const ACTION = "Action required";
/** The order of the sections of a release. */
const ORDER = [ACTION, "Security", "Added", "Changed", "Deprecated", "Removed", "Fixed"];

/** Turns what is not released into the section of a version; what operators must do comes first. */
export function releaseChangelog(text: string, version: string, date: string): string {
  const body = sectionOf(text, UNRELEASED);
  if (body.trim() === "") throw new Error("CHANGELOG.md has nothing below [Unreleased].");
  const start = text.indexOf(UNRELEASED);
  const end = start + UNRELEASED.length + body.length;
  const released = `## [${version}] - ${date}\n\n${arrange(body)}`;
  return `${text.slice(0, start)}${UNRELEASED}\n\n${released}\n${text.slice(end)}`;
}

/** What a release changes, for the page of the release. */
export function releaseNotes(text: string, version: string): string {
  const heading = text.split("\n").find((line) => line.startsWith(`## [${version}]`));
  if (heading === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
  return `${sectionOf(text, heading).trim()}\n`;
}

function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no line '${heading}'.`);
  const body = text.slice(start + heading.length);
  const next = body.indexOf("\n## [");
  return next < 0 ? body : body.slice(0, next + 1);
}

function arrange(body: string): string {
  const sections = new Map<string, string>([[ACTION, "- None."]]);
  for (const part of body.split(/^### /m).slice(1)) {
    const [name = "", ...lines] = part.split("\n");
    if (lines.join("").trim() !== "") sections.set(name.trim(), lines.join("\n").trim());
  }
  const known = ORDER.filter((name) => sections.has(name));
  const others = [...sections.keys()].filter((name) => !ORDER.includes(name));
  return [...known, ...others]
    .map((name) => `### ${name}\n\n${sections.get(name) ?? ""}\n`)
    .join("\n");
}

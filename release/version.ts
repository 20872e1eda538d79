const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\da-z-]+(?:\.[\da-z-]+)*))?$/;
const STEPS = ["major", "minor", "patch"];

/**
 * The version that a release gets: `word` is a part to raise, or a version after `current`.
 * Throws if it is neither.
 */
export function nextVersion(current: string, word: string): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(current);
  if (word === "major") return `${major + 1}.0.0`;
  if (word === "minor") return `${major}.${minor + 1}.0`;
  if (word === "patch")
    return isPreview(current) ? coreOf(current) : `${major}.${minor}.${patch + 1}`;
  if (!VERSION.test(word)) {
    throw new Error(`'${word}' is no version. Give ${STEPS.join(", ")} or a version like 1.2.3.`);
  }
  if (!isAfter(word, current)) throw new Error(`${word} does not follow ${current}.`);
  return word;
}

/** A version for trials, such as 1.2.0-rc.1: it is not the newest for users. */
function isPreview(version: string): boolean {
  return version.includes("-");
}

function isAfter(version: string, other: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(other)];
  const differing = left.findIndex((each, index) => each !== right[index]);
  if (differing >= 0) return (left[differing] ?? 0) > (right[differing] ?? 0);
  if (!isPreview(version) || !isPreview(other)) return isPreview(other) && !isPreview(version);
  return version.localeCompare(other, "en", { numeric: true }) > 0;
}

function numbersOf(version: string): readonly number[] {
  const [, ...parts] = VERSION.exec(version) ?? [];
  return parts.slice(0, 3).map(Number);
}

function coreOf(version: string): string {
  return version.split("-")[0] ?? version;
}

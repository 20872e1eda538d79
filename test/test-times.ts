import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

interface TestTime {
  readonly file: string;
  readonly name: string;
  readonly ms: number;
}

const SHOWN_TESTS = 15;
const SHOWN_WARNINGS = 10;
/** A test of the short run should not take longer on a machine that does nothing else. */
const SLOW_MS = 5_000;

/**
 * The time of each test, taken from the lines that Bun prints, and the
 * processor time of each file, which other programs on the machine change little.
 */
export class TestTimes {
  readonly #tests: TestTime[] = [];
  #file = "";
  #isOver = false;

  /** Reads a line of the output. A file's lines follow its path; the end repeats the failures. */
  read(line: string): void {
    if (/^\d+ tests? (skipped|failed):$/.test(line)) this.#isOver = true;
    if (this.#isOver) return;
    const [, file] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    if (file !== undefined) this.#file = file;
    const [, name, ms] = /^\((?:pass|fail)\) (.*) \[([\d.]+)ms\]$/.exec(line) ?? [];
    if (name !== undefined) this.#tests.push({ file: this.#file, name, ms: Number(ms) });
  }

  /** The slowest tests, and a warning for the first of those that are too slow. */
  summary(isLong: boolean): string {
    const slowest = this.#slowest()
      .filter(({ ms }) => ms >= 1)
      .slice(0, SHOWN_TESTS);
    const slow = isLong ? [] : this.#slowest().filter(({ ms }) => ms > SLOW_MS);
    return [
      `The ${slowest.length} slowest tests (milliseconds, file, name):`,
      ...slowest.map(lineOf),
      ...slow
        .slice(0, SHOWN_WARNINGS)
        .map(
          ({ file, name, ms }) =>
            `warning: ${seconds(ms)} is more than ${seconds(SLOW_MS)}: ${file}: ${name}`,
        ),
      ...(slow.length > SHOWN_WARNINGS
        ? [`${slow.length - SHOWN_WARNINGS} more tests are too slow.`]
        : []),
    ].join("\n");
  }

  /** Writes the time of every test and the processor time of every file. */
  write(path: string, cpuPath: string): void {
    const files = [...cpuByFile(cpuPath)].toSorted(([, a], [, b]) => b - a);
    mkdirSync(dirname(path), { recursive: true });
    const lines = [
      "Processor time of each file, with the programs that it started (milliseconds, file):",
      ...files.map(([file, ms]) => `${columnOf(ms)}  ${file}`),
      "",
      "Time of each test (milliseconds, file, name):",
      ...this.#slowest().map(lineOf),
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
  }

  #slowest(): readonly TestTime[] {
    return this.#tests.toSorted((a, b) => b.ms - a.ms);
  }
}

function cpuByFile(path: string): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  for (const line of lines) {
    const [ms, file] = line.split("\t");
    if (file !== undefined) files.set(file, (files.get(file) ?? 0) + Number(ms));
  }
  return files;
}

function lineOf({ file, name, ms }: TestTime): string {
  return `${columnOf(ms)}  ${file}  ${name}`;
}

function columnOf(ms: number): string {
  return String(Math.round(ms)).padStart(7);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runLimited } from "#test/agents/limited-run.ts";

/** A language whose clients are run, if its tools are on this machine. */
interface Toolchain {
  readonly id: string;
  /** Prints its version and ends with 0 if it is there. */
  readonly probe: readonly [program: string, ...args: string[]];
  /** Where its files are; the folder of its id next to this file if it is absent. */
  readonly source?: string;
  /** Files of the program; its installation depends on them. */
  readonly files: readonly string[];
  /** Installs and builds, in a folder that holds the files. */
  readonly build: readonly Command[];
  /** Runs the steps; the address, the key and the picked words follow. */
  readonly run: Command;
}

/** `{folder}` stands for the folder. */
type Command = readonly [program: string, ...args: string[]];

export const TOOLCHAINS: readonly Toolchain[] = [
  {
    id: "javascript",
    probe: ["node", "--version"],
    files: ["package.json", "package-lock.json", "steps.mjs"],
    build: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]],
    run: ["node", "steps.mjs"],
  },
  {
    id: "python",
    probe: ["python3", "--version"],
    files: ["requirements.txt", "steps.py"],
    build: [
      ["python3", "-m", "venv", "{folder}/venv"],
      [
        "{folder}/venv/bin/pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
        "--disable-pip-version-check",
        "-r",
        "requirements.txt",
      ],
    ],
    run: ["{folder}/venv/bin/python", "steps.py"],
  },
  {
    id: "go",
    probe: ["go", "version"],
    files: ["go.mod", "go.sum", "main.go"],
    build: [["go", "build", "-o", "steps", "."]],
    run: ["{folder}/steps"],
  },
  {
    id: "java",
    probe: ["mvn", "--version"],
    files: ["pom.xml", "src/main/java/Steps.java"],
    build: [
      [
        "mvn",
        "--batch-mode",
        "--quiet",
        "-Dmaven.repo.local={folder}/repository",
        "compile",
        "dependency:build-classpath",
        "-Dmdep.outputFile=classpath",
      ],
    ],
    run: ["sh", "-c", 'exec java -cp "target/classes:$(cat classpath)" Steps "$@"', "steps"],
  },
  {
    id: "rust",
    probe: ["cargo", "--version"],
    files: ["Cargo.toml", "src/main.rs"],
    build: [["cargo", "build", "--quiet", "--target-dir", "{folder}/target"]],
    run: ["{folder}/target/debug/steps"],
  },
];

/** Installed clients stay there for the next time. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env["SLUICE_CLIENTS_DIR"] ?? join("node_modules", ".cache", "sluice-clients"));
}

/** The reason why a toolchain cannot be used here; undefined if it can. */
export async function reasonMissing({ probe }: Toolchain): Promise<string | undefined> {
  const [program, ...args] = probe;
  try {
    const { code } = await runLimited(program, args, {
      cwd: process.cwd(),
      env: process.env,
      limitMs: PROBE_LIMIT_MS,
    });
    return code === 0 ? undefined : `'${probe.join(" ")}' ended with ${code}`;
  } catch {
    return `'${program}' is not on this machine`;
  }
}

const PROBE_LIMIT_MS = 60_000;
const BUILD_LIMIT_MS = 1_800_000;
const RUN_LIMIT_MS = 900_000;

/** Installs the clients unless they are installed already. Throws with the tool's last words. */
export async function install(toolchain: Toolchain, cache: string): Promise<string> {
  const folder = join(cache, toolchain.id);
  const contents = toolchain.files.map((file) => readFileSync(sourceOf(toolchain, file), "utf8"));
  const digest = Bun.hash(JSON.stringify([contents, toolchain.build])).toString(16);
  const stamp = join(folder, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return folder;
  for (const file of toolchain.files) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(sourceOf(toolchain, file), target);
  }
  for (const command of toolchain.build) {
    const [program = "", ...args] = within(folder, command);
    const ended = await runLimited(program, args, {
      cwd: folder,
      env: process.env,
      limitMs: BUILD_LIMIT_MS,
    });
    if (ended.isOutOfTime) throw new Error(`${program} took too long`);
    if (ended.code !== 0) throw new Error(`${program}: ${lastLines(ended.stderr + ended.stdout)}`);
  }
  writeFileSync(stamp, digest);
  return folder;
}

/** Runs the steps; the lines that the program printed. */
export async function runSteps(
  { run }: Toolchain,
  folder: string,
  args: readonly string[],
): Promise<{ readonly lines: readonly string[]; readonly trouble: string | undefined }> {
  const [program = "", ...own] = within(folder, run);
  const { code, isOutOfTime, stdout, stderr } = await runLimited(program, [...own, ...args], {
    cwd: folder,
    env: { ...process.env, ...NO_TELEMETRY },
    limitMs: RUN_LIMIT_MS,
  });
  writeFileSync(join(folder, "stderr.txt"), stderr);
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (isOutOfTime) return { lines, trouble: "the steps took too long" };
  return { lines, trouble: code === 0 ? undefined : `ended with ${code}: ${lastLines(stderr)}` };
}

const NO_TELEMETRY = {
  DO_NOT_TRACK: "1",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

function sourceOf({ id, source = join(import.meta.dir, id) }: Toolchain, file: string): string {
  return join(source, file);
}

function within(folder: string, command: Command): readonly string[] {
  return command.map((word) => word.replaceAll("{folder}", folder));
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" | ").slice(0, 600);
}

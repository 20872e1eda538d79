import { join } from "node:path";

/** The same entry points as the executable that is shipped has. */
const ENTRIES = [
  "src/main.ts",
  "src/storage/sqlite/writer-thread.ts",
  "src/relay/metering/token-thread.ts",
];

/**
 * The gateway as one executable. Tests start it more than a hundred times, and
 * from source each start compiles all of it anew, for half a second.
 */
export async function compileProgram(folder: string): Promise<string> {
  const outfile = join(folder, process.platform === "win32" ? "sluice.exe" : "sluice");
  const { success, logs } = await Bun.build({
    entrypoints: ENTRIES,
    format: "esm",
    bytecode: true,
    compile: { outfile },
    throw: false,
  });
  if (!success)
    throw new Error(
      `The gateway was not compiled: ${logs.map(({ message }) => message).join("\n")}`,
    );
  return outfile;
}

import { join } from "node:path";
import { ENTRY_POINTS } from "../entry-points.ts";

/**
 * The gateway as one executable. Tests start it more than a hundred times, and
 * from source each start compiles all of it anew, for half a second.
 */
export async function compileProgram(folder: string): Promise<string> {
  // It contains the console and the documentation.
  for (const path of ["console/build.ts", "site/build.ts"]) {
    const built = Bun.spawnSync([process.execPath, path]);
    if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  }
  const outfile = join(folder, process.platform === "win32" ? "sluice.exe" : "sluice");
  const { success, logs } = await Bun.build({
    entrypoints: ENTRY_POINTS,
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

import { mkdirSync } from "node:fs";
import { compileGateway } from "./release/executables.ts";

/** One executable, for this platform or for a target of Bun. */
const target = process.argv[2] as Bun.Build.CompileTarget | undefined;
mkdirSync("dist", { recursive: true });
const fault = await compileGateway("dist/sluice", target);
if (fault !== undefined) process.stderr.write(`${fault}\n`);
process.stdout.write(fault === undefined ? "dist/sluice\n" : "The build failed.\n");
process.exitCode = fault === undefined ? 0 : 1;

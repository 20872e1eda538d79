import { mkdirSync } from "node:fs";
import { ENTRY_POINTS } from "./entry-points.ts";

/**
 * One self-contained executable: the runtime, the gateway, its data and its
 * simulator. The storage's writer and the tokenizer are threads of their own,
 * and so entry points of their own.
 */
const target = process.argv[2];
mkdirSync("dist", { recursive: true });
const result = await Bun.build({
  entrypoints: ENTRY_POINTS,
  compile: {
    outfile: "dist/sluice",
    ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
  },
  minify: true,
  sourcemap: "linked",
  define: { "process.env.NODE_ENV": '"production"' },
});
for (const log of result.logs) process.stderr.write(`${log.message}\n`);
process.stdout.write(result.success ? "dist/sluice\n" : "The build failed.\n");
process.exitCode = result.success ? 0 : 1;

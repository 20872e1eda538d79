import { mkdirSync } from "node:fs";

/**
 * One self-contained executable: the runtime, the gateway, its data and its
 * simulator. The storage's writer, the tokenizer and the loading of its
 * vocabulary are threads of their own, and so entry points of their own.
 */
const target = process.argv[2];
mkdirSync("dist", { recursive: true });
const result = await Bun.build({
  entrypoints: [
    "src/main.ts",
    "src/storage/sqlite/writer-thread.ts",
    "src/relay/metering/token-thread.ts",
    "src/relay/metering/vocabulary-thread.ts",
  ],
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

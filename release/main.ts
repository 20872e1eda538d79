import { makeNpmPackage } from "./npm-package.ts";

const PACKAGE = "dist/npm";
const [command = ""] = process.argv.slice(2);

switch (command) {
  case "package":
    await makeNpmPackage(PACKAGE);
    process.stdout.write(`${PACKAGE}: publish it with \`npm publish ./${PACKAGE}\`\n`);
    break;
  default:
    process.stderr.write("Usage: npm run release -- package\n");
    process.exitCode = 2;
}

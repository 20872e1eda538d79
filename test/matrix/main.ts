import { runMatrix } from "./run.ts";
import { matrixNotes, matrixTable } from "./table.ts";

const cells = await runMatrix();
const failed = cells.filter(({ failure }) => failure !== undefined).length;
process.stdout.write(
  `${matrixTable(cells)}\n\n${matrixNotes(cells)}\n\n` +
    `${cells.length - failed} of ${cells.length} cells hold.\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

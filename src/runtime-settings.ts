import { restartWithVariables } from "#lib/restart-with-variables.ts";

/**
 * The runtime reads these variables once, before the program starts. `npm start` sets them; an
 * executable starts itself again with them. `run-child.mjs` says why each has its value.
 */
if ((process.argv[2] ?? "start") === "start") {
  restartWithVariables({
    BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
    BUN_JSC_forceRAMSize: "300000000",
    BUN_JSC_numberOfGCMarkers: "1",
  });
}

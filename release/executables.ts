import { chmodSync } from "node:fs";
import { BUILD_OPTIONS } from "./gateway-build.ts";

/** The platforms of a release: the name in the files, and that of the runtime. */
export const TARGETS = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "macos-x64": "bun-darwin-x64",
  "macos-arm64": "bun-darwin-arm64",
} as const satisfies Readonly<Record<string, Bun.Build.CompileTarget>>;

/**
 * Makes one self-contained executable: the runtime, the gateway, its data and its simulator. The
 * runtime of another platform is fetched from npm. The reason if this failed.
 */
export async function compileGateway(
  outfile: string,
  target?: Bun.Build.CompileTarget,
): Promise<string | undefined> {
  try {
    const { success, logs } = await Bun.build({
      ...BUILD_OPTIONS,
      compile: { outfile, ...(target === undefined ? {} : { target }) },
      sourcemap: "linked",
      throw: false,
    });
    if (!success) return logs.map(({ message }) => message).join("\n");
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
  chmodSync(outfile, 0o755);
  return undefined;
}

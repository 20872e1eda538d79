/**
 * Replaces the process of an executable by the same program with these variables, unless they are
 * set. The process keeps its id. Windows cannot do this; there, the runtime's defaults apply.
 */
export function restartWithVariables(variables: Readonly<Record<string, string>>): void {
  const isSet = Object.keys(variables).every((name) => process.env[name] !== undefined);
  if (isSet || !Bun.isStandaloneExecutable || process.platform === "win32") return;
  const words = [process.argv0, ...process.argv.slice(2)];
  process.execve?.(process.execPath, words, { ...variables, ...process.env });
}

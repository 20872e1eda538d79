import { existsSync } from "node:fs";

const CONTAINER_MS = 5_000;

/**
 * A load balancer notices the 503 of `/readyz` at its next check, and sends
 * calls until then. A gateway on a terminal has no load balancer, so a delay
 * would be useless.
 */
export function defaultDrainDelayMs(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal = process.stdout.isTTY,
): number {
  return isContainer(env) && !isTerminal ? CONTAINER_MS : 0;
}

function isContainer(env: Readonly<Record<string, string | undefined>>): boolean {
  return (
    (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "" ||
    (env["container"] ?? "") !== "" ||
    existsSync("/.dockerenv") ||
    existsSync("/run/.containerenv")
  );
}

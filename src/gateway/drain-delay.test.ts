import { expect, test } from "bun:test";
import { usualDrainDelayMs } from "./drain-delay.ts";

test("a gateway in a container waits for its load balancer; one on a terminal does not wait", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };

  expect(usualDrainDelayMs(pod, false)).toBe(5_000);
  expect(usualDrainDelayMs({ container: "podman" }, false)).toBe(5_000);
  expect(usualDrainDelayMs(pod, true)).toBe(0);
});

import { expect, test } from "bun:test";
import { defaultDrainDelayMs } from "./drain-delay.ts";

test("a gateway in a container waits for its load balancer; one on a terminal does not wait", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };

  expect(defaultDrainDelayMs(pod, false)).toBe(5_000);
  expect(defaultDrainDelayMs({ container: "podman" }, false)).toBe(5_000);
  expect(defaultDrainDelayMs(pod, true)).toBe(0);
});

import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "#config.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { at, faultOf, listOf, objectsIn } from "./kubernetes-objects.ts";

const FOLDER = "deploy/kubernetes";
const OVERLAYS = ["base", "overlays/single", "overlays/production"];
const HAS_KUBECTL = Bun.which("kubectl") !== null;
if (!HAS_KUBECTL) {
  process.stdout.write("The overlays are not rendered: the program kubectl is not installed.\n");
}

test("each complete object follows the schema of its kind", async () => {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml") && !path.endsWith("kustomization.yaml"))
    // A patch has a part of an object.
    .filter((path) => !path.endsWith("one-gateway.yaml"));

  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    for (const each of objectsIn(readFileSync(join(FOLDER, path), "utf8"))) {
      expect([path, await faultOf(each)]).toEqual([path, ""]);
    }
  }
});

// These schemas allow unknown fields, as Kubernetes' own do: a misspelt optional field is not found.
test("a field of a wrong type and a missing field are found", async () => {
  const [deployment = {}] = objectsIn(readFileSync(join(FOLDER, "base/deployment.yaml"), "utf8"));

  const spec = at(deployment, "spec");
  const { selector: _without, ...incomplete } = spec;

  expect(await faultOf({ ...deployment, spec })).toBe("");
  expect(await faultOf({ ...deployment, spec: { ...spec, replicas: "two" } })).not.toBe("");
  expect(await faultOf({ ...deployment, spec: incomplete })).not.toBe("");
});

describe.each(OVERLAYS)("%s", (overlay) => {
  const rendered = HAS_KUBECTL ? render(overlay) : [];

  test.if(HAS_KUBECTL)("is rendered into objects that follow their schemas", async () => {
    expect(rendered.length).toBeGreaterThan(3);
    for (const each of rendered)
      expect([each["kind"], await faultOf(each)]).toEqual([each["kind"], ""]);
  });

  test.if(HAS_KUBECTL)("lets a gateway drain, and gives it no rights", () => {
    const deployment = rendered.find(({ kind }) => kind === "Deployment") ?? {};
    const pod = at(deployment, "spec", "template", "spec");
    const [container = {}] = listOf(pod["containers"]);
    const grace = Number(pod["terminationGracePeriodSeconds"]);
    const drains = listOf(container["env"]).map(({ value }) =>
      Number.parseInt(textOf(value) ?? "", 10),
    );

    expect(drains).toHaveLength(2);
    expect(grace).toBeGreaterThan(drains.reduce((sum, each) => sum + each, 0));
    expect(pod).toMatchObject({
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532 },
    });
    expect(container["securityContext"]).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
  });

  test.if(HAS_KUBECTL)("has no labels by which a service or a policy would miss the pods", () => {
    const deployment = rendered.find(({ kind }) => kind === "Deployment") ?? {};
    const labels = at(deployment, "spec", "template", "metadata", "labels");
    const selectors = rendered.flatMap((each) => {
      if (each["kind"] === "Service") return [at(each, "spec", "selector")];
      if (each["kind"] === "NetworkPolicy") return [at(each, "spec", "podSelector", "matchLabels")];
      if (each["kind"] === "PodDisruptionBudget")
        return [at(each, "spec", "selector", "matchLabels")];
      return [];
    });

    expect(selectors.length).toBeGreaterThan(1);
    for (const each of selectors) expect(labels).toMatchObject(each);
  });
});

test("the drain of the deployment is that of the gateway", () => {
  expect(LIMITS.drainMs.default).toBe(120_000);
});

function render(overlay: string): readonly JsonObject[] {
  const made = spawnSync("kubectl", ["kustomize", join(FOLDER, overlay)], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  return objectsIn(made.stdout);
}

import { beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { parse } from "yaml";
import manifest from "#package.json" with { type: "json" };
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { IS_LONG } from "#test/seed.ts";
import { at, faultOf, listOf, objectsIn } from "./kubernetes-objects.ts";

const CHART = "deploy/helm/sluice";
const HELM = "helm.sh/helm/v3/cmd/helm@v3.19.2";
const values = parse(readText("values.yaml")) as JsonObject;
const templates = readdirSync(join(CHART, "templates")).map((name) => readText("templates", name));
/** Objects that the user of the chart fills; their members are no values of the chart. */
const OPEN = ["resources", "ingress.annotations"];

describe("the values of the chart", () => {
  test("follow their schema, which refuses misspelt names", () => {
    const schema = JSON.parse(readText("values.schema.json")) as JsonObject;
    const validate = new Ajv({ strict: false }).compile(schema);

    expect([validate(values), validate.errors]).toEqual([true, null]);
    expect(validate({ ...values, replica: 3 })).toBe(false);
    expect(validate({ ...values, ingress: { enable: true } })).toBe(false);
    expect(Object.keys(at(schema, "properties")).toSorted()).toEqual(
      [...Object.keys(values), "global"].toSorted(),
    );
  });

  test("are each used by a template, and templates use no others", () => {
    const used = new Set(
      templates.flatMap((text) =>
        [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = ""]) => path),
      ),
    );

    expect([...used].toSorted()).toEqual(leavesOf(values).toSorted());
  });

  test("are each in the table of the chart's page, with their default", () => {
    const rows = [...readText("README.md").matchAll(/^\| `([\w.]+)` \| (?:`([^`]*)`)?/gm)];
    const defaults = new Map(rows.map(([, path = "", shown]) => [path, shown]));

    expect([...defaults.keys()]).toEqual([...leavesOf(values)]);
    for (const [path, shown] of defaults) {
      if (OPEN.includes(path)) continue;
      const value = valueAt(path);
      const written = typeof value === "string" ? value : JSON.stringify(value);
      expect([path, shown ?? ""]).toEqual([path, written]);
    }
  });

  test("give the chart the version of the gateway", () => {
    expect(parse(readText("Chart.yaml"))).toMatchObject({
      version: manifest.version,
      appVersion: manifest.version,
    });
  });

  test("are in blocks that end", () => {
    for (const text of templates) {
      const actions = [...text.matchAll(/\{\{-? *(\w+)/g)].map(([, word = ""]) => word);
      const opened = actions.filter((word) => ["if", "with", "range", "define"].includes(word));
      expect(actions.filter((word) => word === "end")).toHaveLength(opened.length);
    }
  });
});

const helm = findHelm();
if (helm === undefined && IS_LONG)
  process.stdout.write("The chart is not rendered: install helm or Go.\n");

describe.if(helm !== undefined)("the rendered chart", () => {
  const KINDS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["alone", [], ["Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"]],
    [
      "for one gateway",
      ["persistence.enabled=true", "secret.SLUICE_SECRET=s", "persistence.storageClass=fast"],
      ["Deployment", "NetworkPolicy", "PersistentVolumeClaim", "Secret", "Service"],
    ],
    [
      "for production",
      [
        "existingSecret=mine",
        "autoscaling.enabled=true",
        "ingress.enabled=true",
        "serviceMonitor.enabled=true",
        "networkPolicy.egressPorts={8000}",
        "config=channels: []",
        "env.SLUICE_TRUSTED_PROXIES=10.0.0.0/8",
        "imagePullSecrets[0].name=registry",
        "podAnnotations.a=b",
        "nodeSelector.disk=ssd",
        "tolerations[0].operator=Exists",
        "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution=null",
      ],
      [
        "ConfigMap",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Ingress",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
        "ServiceMonitor",
      ],
    ],
  ];
  const rendered = new Map<string, readonly JsonObject[]>();
  beforeAll(() => {
    for (const [name, settings] of KINDS) {
      const { status, stdout, stderr } = render(...settings);
      if (status !== 0) throw new Error(stderr);
      rendered.set(name, objectsIn(stdout));
    }
  }, 1_200_000);

  test.each(KINDS)("%s has objects that follow their schemas", async (name, _settings, kinds) => {
    const objects = rendered.get(name) ?? [];

    expect(objects.map(({ kind }) => textOf(kind) ?? "").toSorted()).toEqual([...kinds]);
    for (const each of objects)
      expect([each["kind"], await faultOf(each)]).toEqual([each["kind"], ""]);
  });

  test("has the same pods and policies as the folder for Kustomize", () => {
    const objects = rendered.get("alone") ?? [];
    const deployment = kustomized("deployment.yaml");
    const pod = at(deployment, "spec", "template", "spec");
    const [container = {}] = listOf(pod["containers"]);
    const renderedPod = at(ofKind(objects, "Deployment"), "spec", "template", "spec");
    const [renderedContainer = {}] = listOf(renderedPod["containers"]);

    // These name the release.
    const {
      image: _image,
      imagePullPolicy: _policy,
      envFrom: _from,
      ...settings
    } = renderedContainer;
    const { image: _base, envFrom: _baseFrom, ...baseSettings } = container;
    expect(settings).toEqual(baseSettings);
    const without = { containers: null, topologySpreadConstraints: null };
    expect({ ...renderedPod, ...without }).toEqual({ ...pod, ...without });
    expect(at(ofKind(objects, "NetworkPolicy"), "spec")["egress"]).toEqual(
      at(kustomized("network-policy.yaml"), "spec")["egress"] ?? null,
    );
  });

  test("selects its pods by labels that they have", () => {
    for (const objects of rendered.values()) {
      const labels = at(ofKind(objects, "Deployment"), "spec", "template", "metadata", "labels");
      expect(labels).toMatchObject(at(ofKind(objects, "Service"), "spec", "selector"));
      expect(labels).toMatchObject(
        at(ofKind(objects, "NetworkPolicy"), "spec", "podSelector", "matchLabels"),
      );
    }
  });

  test("with SQLite and an autoscaler is refused", () => {
    const { status, stderr } = render("persistence.enabled=true", "autoscaling.enabled=true");

    expect(status).not.toBe(0);
    expect(stderr).toContain("SQLite");
  });
});

function render(...settings: readonly string[]) {
  const [program = "", ...words] = helm ?? [];
  const options = settings.flatMap((each) => ["--set", each]);
  const rest = ["template", "sluice", CHART, "--kube-version", "1.30.0"];
  return spawnSync(program, [...words, ...rest, ...options], { encoding: "utf8" });
}

/** Compiling it takes minutes, so only the long form does. */
function findHelm(): readonly string[] | undefined {
  if (Bun.which("helm") !== null) return ["helm"];
  return IS_LONG && Bun.which("go") !== null ? ["go", "run", HELM] : undefined;
}

function ofKind(objects: readonly JsonObject[], kind: string): JsonObject {
  const found = objects.find((each) => each["kind"] === kind);
  if (found === undefined) throw new Error(`The chart has no ${kind}.`);
  return found;
}

function kustomized(name: string): JsonObject {
  return objectsIn(readFileSync(join("deploy/kubernetes/base", name), "utf8"))[0] ?? {};
}

/** The paths of the values: members of objects, unless the user fills the object. */
function leavesOf(object: JsonObject, before = ""): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const hasMembers = isObject(value) && Object.keys(value).length > 0 && !OPEN.includes(path);
    return hasMembers ? leavesOf(value, `${path}.`) : [path];
  });
}

function valueAt(path: string): Json | undefined {
  let found: Json | undefined = values;
  for (const name of path.split(".")) found = isObject(found) ? found[name] : undefined;
  return found;
}

function readText(...path: readonly string[]): string {
  return readFileSync(join(CHART, ...path), "utf8");
}

import { spawnSync } from "node:child_process";
import type { IncludedPackage } from "./included-packages.ts";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

/** The members of a CycloneDX document that are read or changed here. */
interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/** The document of npm for all packages of the lockfile, reduced to those of the executable. */
export function createBill(
  packages: readonly IncludedPackage[],
  version: string,
  bunVersion: string,
): Bill {
  const included = [...packages.map((each) => `${each.name}@${each.version}`), `bun@${bunVersion}`];
  return reduceBill(billOfLockfile(), new Set(included), version);
}

export function reduceBill(bill: Bill, included: ReadonlySet<string>, version: string): Bill {
  const components = bill.components.filter((each) => included.has(each["bom-ref"]));
  const listed = new Set(components.map((each) => each["bom-ref"]));
  const missing = [...included].filter((ref) => !listed.has(ref));
  if (missing.length > 0) throw new Error(`npm lists no ${missing.join(", ")}: run npm ci.`);
  const root = `sluice@${version}`;
  // The packages of this repository are parts of the program itself.
  const own = bill.dependencies.filter(({ ref }) => /^(@sluice\/|sluice@)/.test(ref));
  const needed = [...new Set(own.flatMap(({ dependsOn = [] }) => dependsOn))];
  const others = bill.dependencies.filter(({ ref }) => listed.has(ref));
  const { properties: _private, ...component } = bill.metadata.component as Component & {
    readonly properties?: unknown;
  };
  return {
    ...bill,
    metadata: {
      ...bill.metadata,
      lifecycles: [{ phase: "build" }],
      component: { ...component, "bom-ref": root, type: "application", name: "sluice" },
    } as Bill["metadata"],
    components,
    dependencies: [{ ref: root, dependsOn: needed }, ...others].map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => listed.has(each)),
    })),
  };
}

function billOfLockfile(): Bill {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const { status, stdout, stderr } = spawnSync("npm", words, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout) as Bill;
}

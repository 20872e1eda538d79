import { MARIADB } from "./mariadb.ts";
import { POSTGRES } from "./postgres.ts";
import { REDIS } from "./redis.ts";
import { startService, type ServiceProgram } from "./service.ts";

/** Each service that tests use, with the variable by which they find it. */
const SERVICES = {
  TEST_DATABASE_URL: POSTGRES,
  TEST_REDIS_URL: REDIS,
  TEST_MARIADB_URL: MARIADB,
} as const satisfies Readonly<Record<string, ServiceProgram>>;

type ServiceVariable = keyof typeof SERVICES;

interface Services extends AsyncDisposable {
  /** The variables to run tests with. */
  readonly env: Readonly<Record<string, string>>;
  /** One line for each service that is missing. */
  readonly missing: readonly string[];
}

/**
 * Starts the services that a test run needs, once for the whole run. One whose
 * variable is set already is somebody else's: it is used and left alone.
 */
export async function startServices(
  variables: readonly ServiceVariable[],
  given: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Services> {
  await using stack = new AsyncDisposableStack();
  const env: Record<string, string> = {};
  const missing: string[] = [];
  await Promise.all(
    variables.map(async (variable) => {
      const own = given[variable];
      if (own !== undefined && own !== "") return;
      const program = SERVICES[variable];
      if (program.find() === undefined) {
        missing.push(howToGet(variable, program));
        return;
      }
      env[variable] = stack.use(await startService(program)).url;
    }),
  );
  const held = stack.move();
  return { env, missing, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function howToGet(variable: string, { name, debianPackage }: ServiceProgram): string {
  return `${name} is not installed, so its tests are left out: install the package ${debianPackage}, or set ${variable}.`;
}

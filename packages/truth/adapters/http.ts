/** JSON over HTTP, as the management APIs of gateways speak it. */
export interface Api {
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

export function apiAt(url: string, headers: Readonly<Record<string, string>> = {}): Api {
  return {
    async ask(method, path, body) {
      const response = await fetch(url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) {
        throw new Error(
          `${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`,
        );
      }
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    },
  };
}

/** The value at a path of members, such as `data.items.0.key`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const member of path.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[member];
  }
  return at;
}

export function textAt(value: unknown, path: string): string {
  const found = valueAt(value, path);
  if (typeof found === "string") return found;
  if (typeof found === "number") return String(found);
  throw new Error(`The answer has no text at '${path}': ${JSON.stringify(value).slice(0, 500)}`);
}

export function numberAt(value: unknown, path: string): number {
  const found = Number(valueAt(value, path));
  if (Number.isFinite(found)) return found;
  throw new Error(`The answer has no number at '${path}': ${JSON.stringify(value).slice(0, 500)}`);
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = valueAt(value, path);
  if (Array.isArray(found)) return found as readonly unknown[];
  throw new Error(`The answer has no list at '${path}': ${JSON.stringify(value).slice(0, 500)}`);
}

/** The session of a login, as the `Cookie` header of later requests. */
export async function logIn(url: string, path: string, login: object): Promise<string> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(login),
  });
  await response.text();
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (!response.ok || cookie === undefined) {
    throw new Error(`The login at ${path} was answered with ${response.status}.`);
  }
  return cookie;
}

/** The codes of google.rpc, their names, and the statuses under which they are answered. */
const RPC_CODES = [
  { code: 3, name: "INVALID_ARGUMENT", status: 400 },
  { code: 4, name: "DEADLINE_EXCEEDED", status: 504 },
  { code: 5, name: "NOT_FOUND", status: 404 },
  { code: 7, name: "PERMISSION_DENIED", status: 403 },
  { code: 8, name: "RESOURCE_EXHAUSTED", status: 429 },
  { code: 13, name: "INTERNAL", status: 500 },
  { code: 14, name: "UNAVAILABLE", status: 503 },
] as const;

type RpcCode = (typeof RPC_CODES)[number];

export const EXPIRED: RpcCode = RPC_CODES[1];
export const BROKEN: RpcCode = RPC_CODES[5];

/** `[UNAVAILABLE]`: the order is refused with it. */
export function refusalIn(marks: ReadonlySet<string>): RpcCode | undefined {
  return RPC_CODES.find(({ name }) => marks.has(name));
}

/** `[err3]`: the operation ends with that code. */
export function failureIn(marks: ReadonlySet<string>): RpcCode | undefined {
  return RPC_CODES.find(({ code }) => marks.has(`err${code}`));
}

export const FAILURES: readonly string[] = RPC_CODES.map(({ code }) => `err${code}`);
